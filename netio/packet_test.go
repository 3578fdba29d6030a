package netio_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// packets returns a socket for datagrams, which the test closes.
func packets(t testing.TB, network string) *netio.PacketConn {
	t.Helper()
	address := map[string]string{"udp": "127.0.0.1:0", "udp4": "127.0.0.1:0", "udp6": "[::1]:0"}[network]
	if address == "" {
		address = filepath.Join(t.TempDir(), "socket")
	}
	c, err := netio.ListenPacket(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// echoPackets sends each datagram back until the connection is closed.
//
//movenext:async
func echoPackets(c *netio.PacketConn) error {
	job.Yield() // to where machines run
	p := make([]byte, 2048)
	for {
		n, from, err := c.ReadFrom(p)
		if err != nil {
			return err
		}
		if _, err := c.WriteTo(p[:n], from); err != nil {
			return err
		}
	}
}

// echoPorts is echoPackets by the forms that take a netip.AddrPort.
//
//movenext:async
func echoPorts(c *netio.PacketConn) error {
	job.Yield()
	p := make([]byte, 2048)
	for {
		n, from, err := c.ReadFromAddrPort(p)
		if err != nil {
			return err
		}
		if _, err := c.WriteToAddrPort(p[:n], from); err != nil {
			return err
		}
	}
}

// serving runs a test of a server that is called directly or as a machine.
func serving(t *testing.T, plain func(*netio.PacketConn) error, twin func(*netio.PacketConn) *job.Job[job.Void], f func(t *testing.T, serve func(*netio.PacketConn) error)) {
	t.Run("plain", func(t *testing.T) { f(t, plain) })
	t.Run("machine", func(t *testing.T) {
		f(t, func(c *netio.PacketConn) error {
			_, err := twin(c).Await()
			return err
		})
	})
}

func TestDatagramsComeBack(t *testing.T) {
	ask := func(t *testing.T, network string, serve func(*netio.PacketConn) error) {
		onProcs(t, func(t *testing.T) {
			server := packets(t, network)
			served := make(chan error, 1)
			go func() { served <- serve(server) }()
			var clients sync.WaitGroup
			for range 4 {
				client := packets(t, network)
				clients.Go(func() {
					p := make([]byte, 2048)
					for _, text := range []string{"a", "", "a longer one"} {
						_, err := client.WriteTo([]byte(text), server.LocalAddr())
						assert.NoError(t, err)
						assert.NoError(t, client.SetReadDeadline(time.Now().Add(time.Minute)))
						n, from, err := client.ReadFrom(p)
						assert.NoError(t, err)
						assert.Equal(t, text, string(p[:n]))
						assert.Equal(t, server.LocalAddr().String(), from.String())
					}
				})
			}
			clients.Wait()
			require.NoError(t, server.Close())
			require.ErrorIs(t, <-served, net.ErrClosed)
		})
	}
	for _, network := range []string{"udp", "unixgram"} {
		t.Run(network, func(t *testing.T) {
			serving(t, echoPackets, echoPacketsAsync, func(t *testing.T, serve func(*netio.PacketConn) error) {
				ask(t, network, serve)
			})
		})
	}
	t.Run("udp, by AddrPort", func(t *testing.T) {
		serving(t, echoPorts, echoPortsAsync, func(t *testing.T, serve func(*netio.PacketConn) error) {
			ask(t, "udp", serve)
		})
	})
}

// TestADatagramOfPackageNetIsTheSame exchanges datagrams with a socket of package net, on a
// socket that takes addresses of both families.
func TestADatagramOfPackageNetIsTheSame(t *testing.T) {
	peer, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { _ = peer.Close() }()
	c, err := netio.ListenPacket("udp", ":0")
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	n, err := c.WriteTo([]byte("over"), peer.LocalAddr())
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	p := make([]byte, 2)
	n, from, err := peer.ReadFromUDPAddrPort(p)
	require.NoError(t, err)
	assert.Equal(t, "ov", string(p[:n]), "the rest of a datagram is cut off")
	_, err = peer.WriteToUDPAddrPort([]byte("and back"), from)
	require.NoError(t, err)
	n, at, err := c.ReadFromAddrPort(p)
	require.NoError(t, err)
	assert.Equal(t, "an", string(p[:n]), "here, too")
	assert.Equal(t, peer.LocalAddr().String(), at.String())
}

func TestADeadlineEndsTheWaitForADatagram(t *testing.T) {
	c := packets(t, "udp")
	late := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		var timeout net.Error
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout())
	}
	waits := c.ReadFromAsync(make([]byte, 1))
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Millisecond)))
	_, err := waits.Await()
	late(err)
	_, _, err = c.ReadFrom(make([]byte, 1))
	late(err)
	_, err = c.WriteTo([]byte("x"), c.LocalAddr())
	late(err)
	require.NoError(t, c.SetDeadline(time.Time{}))
	_, err = c.WriteTo([]byte("x"), c.LocalAddr())
	require.NoError(t, err)
	n, _, err := c.ReadFrom(make([]byte, 1))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// TestEachDatagramHasOneReceiver has several machines receive from one socket.
func TestEachDatagramHasOneReceiver(t *testing.T) {
	onProcs(t, func(t *testing.T) {
		const n = 100
		c, sender := packets(t, "udp"), packets(t, "udp")
		var all []*job.Job[job.Tuple2[int, netip.AddrPort]]
		var buffers [n][4]byte
		for i := range n {
			all = append(all, c.ReadFromAddrPortAsync(buffers[i][:]))
		}
		for i := range n {
			_, err := sender.WriteTo([]byte{byte(i)}, c.LocalAddr())
			require.NoError(t, err)
		}
		for i, j := range all {
			v, err := j.Await()
			require.NoError(t, err)
			assert.Equal(t, 1, v.V1)
			assert.Equal(t, byte(i), buffers[i][0], "in the order of the calls")
			assert.Equal(t, sender.LocalAddr().String(), v.V2.String())
		}
	})
}

func TestCloseWakesTheReceiversOfDatagrams(t *testing.T) {
	c := packets(t, "udp")
	first, second := c.ReadFromAsync(nil), c.ReadFromAddrPortAsync(nil)
	require.NoError(t, c.Close())
	_, err := first.Await()
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = second.Await()
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = c.WriteTo(nil, c.LocalAddr())
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, c.Close(), net.ErrClosed)
}

func TestAnAddressOfAnotherNetworkIsRefused(t *testing.T) {
	for network, to := range map[string][]net.Addr{
		"udp":      {nil, &net.TCPAddr{}, &net.UnixAddr{Name: "x", Net: "unixgram"}, (*net.UDPAddr)(nil), &net.UDPAddr{IP: net.IPv6loopback, Port: 1}},
		"unixgram": {nil, &net.UDPAddr{}, (*net.UnixAddr)(nil), &net.UnixAddr{Name: "/no such file", Net: "unixgram"}},
	} {
		c := packets(t, network)
		for _, at := range to {
			n, err := c.WriteTo([]byte("x"), at)
			var op *net.OpError
			require.ErrorAs(t, err, &op, "%T", at)
			assert.Equal(t, "write", op.Op)
			assert.Zero(t, n)
			_, err = c.WriteToAsync([]byte("x"), at).Await()
			require.ErrorAs(t, err, &op, "%T", at)
		}
	}
}

func TestASocketOfPackageNetBecomesOneForMachines(t *testing.T) {
	pc, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	at := pc.LocalAddr().String()
	c, err := netio.AdoptPacket(pc)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	assert.Equal(t, at, c.LocalAddr().String())

	for _, no := range []net.PacketConn{nil, c, (*net.UDPConn)(nil), (*net.UnixConn)(nil), &net.IPConn{}, foreign{}} {
		_, err := netio.AdoptPacket(no)
		require.ErrorIs(t, err, netio.ErrNotAdoptable, "%T", no)
	}
	_, err = netio.ListenPacket("tcp", "127.0.0.1:0")
	require.ErrorIs(t, err, net.UnknownNetworkError("tcp"))
	_, err = netio.ListenPacket("udp", "127.0.0.1:no")
	require.Error(t, err)
}

// foreign is a connection without a descriptor.
type foreign struct{ net.PacketConn }

func TestPacketsLeaveNoDescriptorBehind(t *testing.T) {
	before := descriptors(t)
	for range 20 {
		c, err := netio.ListenPacket("udp", "127.0.0.1:0")
		require.NoError(t, err)
		j := c.ReadFromAsync(make([]byte, 1))
		require.NoError(t, c.Close())
		if _, err := j.Await(); !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
	}
	assert.Eventually(t, func() bool { return descriptors(t) <= before+2 }, 10*time.Second, time.Millisecond, "the poller's")
}
