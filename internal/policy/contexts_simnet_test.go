package policy

import (
	"context"

	"github.com/movenext/movenext/jobtest/simnet"
)

//movenext:async
func simulated(ctx context.Context, n *notes) {
	network := simnet.New(ctx)
	n.of("simnet.New")(network != nil)
	l, err := network.Listen("server")
	n.of("simnet.Network.Listen")(err)
	defer func() { _ = l.Close() }()
	c, err := network.Dial(ctx, "server")
	n.of("simnet.Network.Dial")(err)
	defer func() { _ = c.Close() }()
	other, err := network.DialAsync(ctx, "server").Await()
	n.of("simnet.Network.DialAsync")(err)
	_ = other.Close()
	s, err := l.Accept()
	n.of("simnet.Listener.Accept")(err)
	_, err = s.Write([]byte("x"))
	n.of("simnet.Conn.Write")(err)
	n.of("simnet.Conn.Readable")(c.Readable(ctx))
	n.of("simnet.Conn.ReadableAsync")(c.ReadableAsync(ctx).Await())
	_ = s.Close()
}
