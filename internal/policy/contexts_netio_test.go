package policy

import (
	"context"
	"io"
	"net"

	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/netio"
)

// greeter accepts one connection, writes two lines and a rest to it, and reads
// until its peer closes it.
func greeter(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, "one\ntwo\nthe rest")
	_ = c.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, c)
}

//movenext:async
func buffers(ctx context.Context, n *notes) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	n.of("net.Listen")(err)
	defer func() { _ = l.Close() }()
	go greeter(l)
	c, err := netio.Dial(ctx, "tcp", l.Addr().String())
	n.of("netio.Dial")(err)
	defer func() { _ = c.Close() }()

	n.of("jobtest.Fault")(jobtest.Fault(ctx, "none"))
	b := netio.NewBuffered(c)
	n.of("netio.Buffered.Readable")(b.Readable(ctx))
	n.of("netio.Buffered.ReadableAsync")(b.ReadableAsync(ctx).Await())
	n.of("netio.Buffered.Peek")(b.Peek(ctx, 3))
	n.of("netio.Buffered.PeekAsync")(b.PeekAsync(ctx, 3).Await())
	n.of("netio.Buffered.ReadLine")(b.ReadLine(ctx, 9))
	n.of("netio.Buffered.ReadLineAsync")(b.ReadLineAsync(ctx, 9).Await())

	w := netio.NewBufferedWriter(c)
	_, _ = w.Write([]byte("one"))
	n.of("netio.BufferedWriter.Flush")(w.Flush(ctx))
	_, _ = w.Write([]byte("two"))
	n.of("netio.BufferedWriter.FlushAsync")(w.FlushAsync(ctx).Await())
	n.of("netio.Conn.WriteAll")(c.WriteAll(ctx, []byte("three")))
	n.of("netio.Conn.WriteAllAsync")(c.WriteAllAsync(ctx, []byte("four")).Await())
	n.of("netio.Copy")(netio.Copy(ctx, c, b))
	n.of("netio.CopyAsync")(netio.CopyAsync(ctx, c, b).Await())
}
