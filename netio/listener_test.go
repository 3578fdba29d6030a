package netio_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/netio"
)

func TestAcceptWaitsAndEndsWithTheListener(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		l := listen(t, network)
		j := l.AcceptAsync()
		assert.False(t, j.IsCompleted())
		a := dial(t, l)
		b, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, a.RemoteAddr().String(), b.LocalAddr().String())
		assert.Equal(t, network, b.LocalAddr().Network())
		require.NoError(t, b.Close())

		j = l.AcceptAsync()
		require.NoError(t, l.Close())
		_, err = j.Await()
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = l.Accept()
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorIs(t, l.Close(), net.ErrClosed)
	})
}

func TestTheFileOfAUnixListenerEndsWithIt(t *testing.T) {
	l := listen(t, "unix")
	_, err := os.Stat(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = os.Stat(l.Addr().String())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAllEndsWithTheListenerAndWithTheContext(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		l := listen(t, network)
		dial(t, l)
		dial(t, l)
		seen := 0
		for c, err := range l.All(context.Background()) {
			require.NoError(t, err)
			require.NoError(t, c.Close())
			if seen++; seen == 2 {
				require.NoError(t, l.Close())
			}
		}
		assert.Equal(t, 2, seen)

		l = listen(t, network)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		dial(t, l)
		var last error
		for c, err := range l.All(ctx) {
			if last = err; err == nil {
				require.NoError(t, c.Close())
				cancel(cause)
			}
		}
		require.ErrorIs(t, last, cause)
	})
}

func TestAConnectionThatComesAfterTheWaitIsForTheNextAccept(t *testing.T) {
	l := listen(t, "tcp")
	ctx, cancel := context.WithCancel(context.Background())
	j := greetAllAsync(ctx, l, "hello")
	cancel()
	_, err := j.Await()
	require.ErrorIs(t, err, context.Canceled)
	a := dial(t, l)
	b, err := l.Accept()
	require.NoError(t, err)
	assert.Equal(t, a.LocalAddr().String(), b.RemoteAddr().String())
	require.NoError(t, b.Close())
}

func TestAMachineServesAll(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		onProcs(t, func(t *testing.T) {
			l := listen(t, network)
			served := greetAllAsync(context.Background(), l, "hello")
			for range 3 {
				got, err := io.ReadAll(dial(t, l))
				require.NoError(t, err)
				assert.Equal(t, "hello", string(got))
			}
			require.NoError(t, l.Close())
			n, err := served.Await()
			require.NoError(t, err)
			assert.Equal(t, 3, n)
		})
	})
}

// greetAll greets each connection.
//
//movenext:async
func greetAll(ctx context.Context, l *netio.Listener, word string) (int, error) {
	n := 0
	for c, err := range l.All(ctx) {
		if err != nil {
			return n, err
		}
		if _, err := c.Write([]byte(word)); err != nil {
			return n, err
		}
		if err := c.Close(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestNetListenerServesPackageNet(t *testing.T) {
	l := listen(t, "tcp")
	nl := l.NetListener()
	dial(t, l)
	c, err := nl.Accept()
	require.NoError(t, err)
	assert.IsType(t, &netio.Conn{}, c)
	require.NoError(t, c.Close())
	require.NoError(t, nl.Close())
	c, err = nl.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	assert.Nil(t, c)
}

func TestDialAndListenRefuseWhatTheyDoNotKnow(t *testing.T) {
	_, err := netio.Listen("udp", "127.0.0.1:0")
	require.ErrorIs(t, err, net.UnknownNetworkError("udp"))
	_, err = netio.Dial(context.Background(), "ip4:icmp", "127.0.0.1")
	require.ErrorIs(t, err, net.UnknownNetworkError("ip4:icmp"))
	_, err = netio.DialAsync(context.Background(), "x", "y").Await()
	require.ErrorIs(t, err, net.UnknownNetworkError("x"))
	_, err = netio.Listen("tcp", "no port")
	require.Error(t, err)
	_, err = netio.Dial(context.Background(), "unix", "no such file")
	require.ErrorIs(t, err, os.ErrNotExist)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = netio.Dial(ctx, "tcp", "127.0.0.1:1")
	require.ErrorIs(t, err, context.Canceled)
}

func TestAcceptContextEndsWithItsContext(t *testing.T) {
	forms := map[string]func(context.Context, *netio.Listener) (*netio.Conn, error){
		"plain": func(ctx context.Context, l *netio.Listener) (*netio.Conn, error) { return l.AcceptContext(ctx) },
		"twin": func(ctx context.Context, l *netio.Listener) (*netio.Conn, error) {
			return l.AcceptContextAsync(ctx).Await()
		},
		"machine": func(ctx context.Context, l *netio.Listener) (*netio.Conn, error) {
			return acceptOneAsync(ctx, l).Await()
		},
	}
	onNetworks(t, func(t *testing.T, network string) {
		for form, accept := range forms {
			l := listen(t, network)
			ctx, cancel := context.WithCancelCause(context.Background())
			cause := errors.New(form)
			go cancel(cause)
			_, err := accept(ctx, l)
			require.ErrorIs(t, err, cause)
			_, err = accept(ctx, l)
			require.ErrorIs(t, err, cause)
			dial(t, l)
			for _, ctx := range []context.Context{context.Background(), nil} {
				c, err := accept(ctx, l)
				require.NoError(t, err)
				require.NoError(t, c.Close())
				dial(t, l)
			}
			require.NoError(t, l.Close())
			_, err = accept(context.Background(), l)
			require.ErrorIs(t, err, net.ErrClosed)
		}
	})
}

//movenext:async
func acceptOne(ctx context.Context, l *netio.Listener) (*netio.Conn, error) {
	return l.AcceptContext(ctx)
}

// Connections that come while a consumer leaves the stream of a listener are all accepted, by it
// or by a later accept.
func TestAConnectionThatComesWhileAConsumerLeavesIsNotLost(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		l := listen(t, network)
		for range 200 {
			dialed := make(chan net.Conn)
			go func() { dialed <- dial(t, l) }()
			p := l.AllAsync(context.Background()).Pull()
			soon, cancel := context.WithCancel(context.Background())
			go cancel()
			c, err := p.Next(soon)
			require.NoError(t, p.Stop(context.Background()))
			if err != nil {
				c, err = l.Accept()
				require.NoError(t, err)
			}
			d := <-dialed
			require.NoError(t, errors.Join(c.Close(), d.Close()))
		}
	})
}
