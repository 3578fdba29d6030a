package main

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echoed is a connection through a link to a server that sends back what it gets.
func echoed(t *testing.T) (*link, net.Conn) {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l, err := newLink(server.Addr().String())
	require.NoError(t, err)
	c, err := net.Dial("tcp", l.address())
	require.NoError(t, err)
	far, err := server.Accept()
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(far, far) // until an end closes
		_ = far.Close()
	}()
	t.Cleanup(func() {
		l.close()
		_ = c.Close()
		<-done
		assert.NoError(t, server.Close())
	})
	return l, c
}

func TestACutLinkIsSilentAndLosesNothing(t *testing.T) {
	l, c := echoed(t)
	back := make([]byte, 5)
	for _, cut := range []bool{false, true, true} {
		if cut {
			l.cut()
			l.cut() // which has no effect
		}
		_, err := io.WriteString(c, "hello")
		require.NoError(t, err)
		if cut {
			require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
			_, err = c.Read(back)
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			require.NoError(t, c.SetReadDeadline(time.Time{}))
			l.heal()
		}
		_, err = io.ReadFull(c, back)
		require.NoError(t, err)
		assert.Equal(t, "hello", string(back))
	}
}

func TestALinkThatEndsEndsItsConnections(t *testing.T) {
	l, c := echoed(t)
	l.cut()
	l.close()
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	_, err = net.Dial("tcp", l.address())
	require.Error(t, err)
	var none *link
	none.close()
	assert.Empty(t, none.address())
}

func TestALinkToNowhereClosesWhatItTakes(t *testing.T) {
	l, err := newLink("127.0.0.1:1")
	require.NoError(t, err)
	defer l.close()
	c, err := net.Dial("tcp", l.address())
	require.NoError(t, err)
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, c.Close())
}
