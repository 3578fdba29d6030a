package netio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// shout answers in capitals until its peer closes its side. While it waits it is
// a small object.
//
//movenext:async
func shout(ctx context.Context, c *netio.Conn) error {
	defer func() { _ = c.Close() }()
	for {
		if err := c.Readable(ctx); err != nil {
			return err
		}
		p := make([]byte, 32) // there is something to read now
		n, err := c.Read(p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, b := range p[:n] {
			if 'a' <= b && b <= 'z' {
				p[i] = b - 'a' + 'A'
			}
		}
		if _, err := c.Write(p[:n]); err != nil {
			return err
		}
	}
}

// serve starts a machine for each connection.
//
//movenext:async
func serve(ctx context.Context, l *netio.Listener) error {
	return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for c, err := range l.All(ctx) {
			if err != nil {
				return err
			}
			s.Go(func(ctx context.Context) error { return shout(ctx, c) })
		}
		return nil
	})
}

// A server with a machine for each connection, and a client.
func Example() {
	ctx := context.Background()
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := serveAsync(ctx, l)

	c, err := netio.Dial(ctx, "tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := make([]byte, 5)
	_, _ = c.Write([]byte("hello"))
	_, _ = c.ReadFull(answer)
	fmt.Println(string(answer))

	_ = c.Close()
	_ = l.Close() // All ends, and with it the server
	_, err = served.Await()
	fmt.Println(err)
	// Output:
	// HELLO
	// <nil>
}

func ExampleConn_Readable() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	ready := b.ReadableAsync(context.Background())
	fmt.Println(ready.IsCompleted())
	_, _ = a.Write([]byte("x"))
	_, err := ready.Await()
	fmt.Println(err)
	// Output:
	// false
	// <nil>
}

func ExampleConn_ReadAsync() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	p := make([]byte, 8)
	j := b.ReadAsync(p)
	_, _ = a.WriteAsync([]byte("hello")).Await()
	n, err := j.Await()
	fmt.Println(string(p[:n]), err)
	// Output: hello <nil>
}

func ExampleConn_ReadFull() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	_, _ = a.Write([]byte("four more"))
	_ = a.CloseWrite()
	p := make([]byte, 5)
	for range 3 {
		n, err := b.ReadFull(p)
		fmt.Printf("%q %v\n", p[:n], err)
	}
	// Output:
	// "four " <nil>
	// "more" unexpected EOF
	// "" EOF
}

func ExampleConn_WriteAll() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := a.WriteAll(ctx, make([]byte, 1<<24)) // the peer does not read
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleBuffered_ReadLine() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	_, _ = a.Write([]byte("GET / HTTP/1.1\r\nHost: example.com\r\n"))
	_ = a.CloseWrite()
	lines := netio.NewBuffered(b)
	for {
		line, err := lines.ReadLine(context.Background(), 100)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", line)
	}
	// Output:
	// GET / HTTP/1.1
	// Host: example.com
	// EOF
}

func ExampleBufferedWriter() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	w := netio.NewBufferedWriter(a)
	for _, word := range []string{"one ", "packet ", "not three"} {
		_, _ = w.Write([]byte(word))
	}
	_ = w.Flush(context.Background())
	p := make([]byte, 100)
	n, _ := b.Read(p)
	fmt.Println(string(p[:n]))
	// Output: one packet not three
}

func ExampleCopy() {
	client, front := connected()
	back, server := connected()
	relayed := netio.CopyAsync(context.Background(), back, front)
	_, _ = client.Write([]byte("through the proxy"))
	_ = client.Close()
	n, err := relayed.Await()
	fmt.Println(n, err)
	for _, c := range []*netio.Conn{front, back, server} {
		_ = c.Close()
	}
	// Output: 17 <nil>
}

func ExampleConn_SetReadDeadline() {
	a, b := connected()
	defer func() { _, _ = a.Close(), b.Close() }()
	_ = b.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := b.Read(make([]byte, 1))
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	// Output: true
}

func ExampleListener_All() {
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := netio.Dial(context.Background(), "tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	for peer := range l.All(context.Background()) { //nolint:errcheck // it ranges
		fmt.Println(peer.RemoteAddr().String() == c.LocalAddr().String())
		_, _ = peer.Close(), l.Close()
	}
	_ = c.Close()
	// Output: true
}

func ExampleListener_NetListener() {
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	nl := l.NetListener() // for an http.Server, say
	fmt.Println(nl.Addr() == nil, nl.Close())
	// Output: false <nil>
}

func ExampleAdopt() {
	nl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := netio.Dial(context.Background(), "tcp", nl.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	nc, err := nl.Accept()
	if err != nil {
		fmt.Println(err)
		return
	}
	adopted, err := netio.Adopt(nc, []byte("read ahead, ")...)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = c.Write([]byte("and the rest"))
	_, _ = c.Close(), nl.Close()
	all, err := io.ReadAll(adopted)
	fmt.Println(string(all), err)
	_ = adopted.Close()
	// Output: read ahead, and the rest <nil>
}

func ExampleConn_NetConn() {
	a, b := connected()
	nc, err := b.NetConn()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = a.Write([]byte("hello"))
	_ = a.Close()
	all, err := io.ReadAll(nc)
	fmt.Println(string(all), err)
	_ = nc.Close()
	// Output: hello <nil>
}

// connected returns both ends of a connection.
func connected() (a, b *netio.Conn) {
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer func() { _ = l.Close() }()
	j := l.AcceptAsync()
	if a, err = netio.Dial(context.Background(), "tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	if b, err = j.Await(); err != nil {
		panic(err)
	}
	return a, b
}

func ExampleServer() {
	a, b := connected()
	server, client := configs() // with a certificate
	ctx := context.Background()
	served := echoTLSAsync(ctx, netio.Server(b, server))

	c := netio.Client(a, client)
	_, _ = c.Write([]byte("hello"))
	answer := make([]byte, 5)
	_, _ = io.ReadFull(c, answer)
	fmt.Println(string(answer))
	_ = c.CloseWrite()
	_, err := served.Await()
	fmt.Println(err, c.Close())
	// Output:
	// hello
	// <nil> <nil>
}
