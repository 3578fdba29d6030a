package netio_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/nettest"

	"github.com/movenext/movenext/netio"
)

// TestConnAsPackageNetHasIt is Go's own conformance suite for connections, in
// both executions.
func TestConnAsPackageNetHasIt(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		t.Run("plain", func(t *testing.T) {
			onProcs(t, func(t *testing.T) { nettest.TestConn(t, pipes(t, network, func(c *netio.Conn) net.Conn { return c })) })
		})
		t.Run("machines", func(t *testing.T) {
			onProcs(t, func(t *testing.T) {
				nettest.TestConn(t, pipes(t, network, func(c *netio.Conn) net.Conn { return machines{c} }))
			})
		})
	})
}

// pipes makes the pairs of connections that the suite asks for.
func pipes(t *testing.T, network string, as func(*netio.Conn) net.Conn) nettest.MakePipe {
	return func() (net.Conn, net.Conn, func(), error) {
		a, b := pipe(t, network)
		stop := func() {
			_ = a.Close()
			_ = b.Close()
		}
		return as(a), as(b), stop, nil
	}
}

func TestTheSuiteRunsOnPipes(t *testing.T) {
	a, b, stop, err := pipes(t, "tcp", func(c *netio.Conn) net.Conn { return c })()
	require.NoError(t, err)
	defer stop()
	require.Equal(t, a.LocalAddr().String(), b.RemoteAddr().String())
}
