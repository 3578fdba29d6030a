package netio

import (
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// PacketConn is a [net.PacketConn] on which a waiting machine holds no goroutine:
// one socket that exchanges datagrams with many peers. [ListenPacket] and
// [AdoptPacket] make one; for a single peer, [Dial] makes a [Conn]. It must be
// closed.
//
// Its methods are safe for concurrent use. Datagrams are received in the order of
// the calls, one by each, and sent in that order. A datagram that is longer than
// the buffer is cut off, as in package net. Errors are those of package net.
type PacketConn struct{ socket *socket }

var _ net.PacketConn = (*PacketConn)(nil)

// packetConn is the receiver of entries; see conn.
type packetConn = PacketConn

// ListenPacket receives on an address of the network "udp", "udp4", "udp6" or
// "unixgram", as [net.ListenPacket] does. It blocks only to look up a name in
// address.
func ListenPacket(network, address string) (*PacketConn, error) {
	switch network {
	case "udp", "udp4", "udp6", "unixgram":
	default:
		return nil, &net.OpError{Op: "listen", Net: network, Err: net.UnknownNetworkError(network)}
	}
	pc, err := net.ListenPacket(network, address)
	if err != nil {
		return nil, err
	}
	return takePacket(pc)
}

// AdoptPacket turns a [net.PacketConn] of the network "udp" or "unixgram" into one of
// this package: one with options of [net.ListenConfig], or one that has joined a
// multicast group. After success pc must not be used any more; after an error it is
// unchanged. Deadlines are not carried over. A connection without a descriptor of
// its own is refused with [ErrNotAdoptable]. It does not block.
func AdoptPacket(pc net.PacketConn) (*PacketConn, error) {
	switch pc := pc.(type) {
	case *net.UDPConn:
		if pc != nil {
			return takePacket(pc)
		}
	case *net.UnixConn:
		if pc != nil && pc.LocalAddr().Network() == "unixgram" {
			return takePacket(pc)
		}
	case *PacketConn:
		return nil, fmt.Errorf("%w: it is a *netio.PacketConn already; use it as it is", ErrNotAdoptable)
	}
	return nil, fmt.Errorf("%w: a %T is not an open socket for datagrams; adopt a *net.UDPConn, or a *net.UnixConn of the network \"unixgram\"", ErrNotAdoptable, pc)
}

// ReadFrom waits for a datagram, copies it to p, and returns its length and its
// sender: a [*net.UDPAddr] or [*net.UnixAddr], nil if a sender on a Unix socket has
// no address. It blocks; its twin is [PacketConn.ReadFromAsync]. It takes no context,
// so it cannot tell a scheduler that its worker blocks.
func (c *PacketConn) ReadFrom(p []byte) (n int, from net.Addr, err error) {
	t := transfer{kind: receiving, buf: p}
	c.socket.do(&t)
	return c.datagram(&t)
}

// ReadFromAsync is [PacketConn.ReadFrom] as a job. p belongs to the job until it has
// ended. It does not block.
func (c *PacketConn) ReadFromAsync(p []byte) *job.Job[job.Tuple2[int, net.Addr]] {
	return packetReadFromAsync(c, p)
}

// ReadFromEnter is [PacketConn.ReadFrom] as generated machines call it.
func (c *packetConn) ReadFromEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting2[int, net.Addr], int, net.Addr, error) {
	t := transfer{kind: receiving, buf: p}
	if o := c.socket.enter(r, nil, &t); o != nil {
		d := &receipt{operation: o}
		d.handle.Init(d)
		return &d.handle, 0, nil, nil
	}
	n, from, err := c.datagram(&t)
	return nil, n, from, err
}

// receipt is the ReadFrom of a machine, and its handle.
type receipt struct {
	*operation
	handle statemachine.Waiting2[int, net.Addr]
}

// Results implements [statemachine.Outcome2].
func (d *receipt) Results(r *statemachine.Run) (int, net.Addr, error) {
	c := &PacketConn{d.socket}
	t := d.results(r)
	return c.datagram(&t)
}

// datagram is what is returned of a datagram.
func (c *PacketConn) datagram(t *transfer) (int, net.Addr, error) {
	if t.err != nil {
		return t.n, nil, t.err
	}
	return t.n, t.sender(c.socket), nil
}

// ReadFromAddrPort is [PacketConn.ReadFrom] with the sender as a [netip.AddrPort],
// which needs no allocation of its own. It is the zero AddrPort on the network
// "unixgram". It blocks; its twin is [PacketConn.ReadFromAddrPortAsync].
func (c *PacketConn) ReadFromAddrPort(p []byte) (n int, from netip.AddrPort, err error) {
	t := transfer{kind: receiving, buf: p}
	c.socket.do(&t)
	return t.n, t.senderPort(), t.err
}

// ReadFromAddrPortAsync is [PacketConn.ReadFromAddrPort] as a job. p belongs to the
// job until it has ended. It does not block.
func (c *PacketConn) ReadFromAddrPortAsync(p []byte) *job.Job[job.Tuple2[int, netip.AddrPort]] {
	return packetReadFromAddrPortAsync(c, p)
}

// ReadFromAddrPortEnter is [PacketConn.ReadFromAddrPort] as generated machines call it.
func (c *packetConn) ReadFromAddrPortEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting2[int, netip.AddrPort], int, netip.AddrPort, error) {
	t := transfer{kind: receiving, buf: p}
	if o := c.socket.enter(r, nil, &t); o != nil {
		d := &portReceipt{operation: o}
		d.handle.Init(d)
		return &d.handle, 0, netip.AddrPort{}, nil
	}
	return nil, t.n, t.senderPort(), t.err
}

// portReceipt is the ReadFromAddrPort of a machine, and its handle.
type portReceipt struct {
	*operation
	handle statemachine.Waiting2[int, netip.AddrPort]
}

// Results implements [statemachine.Outcome2].
func (d *portReceipt) Results(r *statemachine.Run) (int, netip.AddrPort, error) {
	t := d.results(r)
	return t.n, t.senderPort(), t.err
}

// WriteTo sends p as one datagram, and waits while the system has no room for it. It
// returns len(p), or an error. It blocks; its twin is [PacketConn.WriteToAsync].
func (c *PacketConn) WriteTo(p []byte, to net.Addr) (int, error) {
	t := transfer{kind: sending, buf: p}
	if err := t.setAddress(c.socket, to); err != nil {
		return 0, err
	}
	c.socket.do(&t)
	return t.n, t.err
}

// WriteToAsync is [PacketConn.WriteTo] as a job. p belongs to the job until it has
// ended. It does not block.
func (c *PacketConn) WriteToAsync(p []byte, to net.Addr) *job.Job[int] {
	return packetWriteToAsync(c, p, to)
}

// WriteToEnter is [PacketConn.WriteTo] as generated machines call it.
func (c *packetConn) WriteToEnter(r *statemachine.Run, p []byte, to net.Addr) (*statemachine.Waiting[int], int, error) {
	t := transfer{kind: sending, buf: p}
	if err := t.setAddress(c.socket, to); err != nil {
		return nil, 0, err
	}
	if o := c.socket.enter(r, nil, &t); o != nil {
		return &o.handle, 0, nil
	}
	return nil, t.n, t.err
}

// WriteToAddrPort is [PacketConn.WriteTo] for an address that needs no allocation. It
// blocks; its twin is [PacketConn.WriteToAddrPortAsync].
func (c *PacketConn) WriteToAddrPort(p []byte, to netip.AddrPort) (int, error) {
	t := transfer{kind: sending, buf: p}
	t.setAddrPort(to)
	c.socket.do(&t)
	return t.n, t.err
}

// WriteToAddrPortAsync is [PacketConn.WriteToAddrPort] as a job. p belongs to the job
// until it has ended. It does not block.
func (c *PacketConn) WriteToAddrPortAsync(p []byte, to netip.AddrPort) *job.Job[int] {
	return packetWriteToAddrPortAsync(c, p, to)
}

// WriteToAddrPortEnter is [PacketConn.WriteToAddrPort] as generated machines call it.
func (c *packetConn) WriteToAddrPortEnter(r *statemachine.Run, p []byte, to netip.AddrPort) (*statemachine.Waiting[int], int, error) {
	t := transfer{kind: sending, buf: p}
	t.setAddrPort(to)
	if o := c.socket.enter(r, nil, &t); o != nil {
		return &o.handle, 0, nil
	}
	return nil, t.n, t.err
}

// Close closes the connection. Operations that wait end with an error that matches
// [net.ErrClosed], and so does a second Close. It does not block.
func (c *PacketConn) Close() error { return c.socket.close() }

// LocalAddr returns the address on which it receives. It does not block.
func (c *PacketConn) LocalAddr() net.Addr { return c.socket.LocalAddr() }

// SetDeadline is [PacketConn.SetReadDeadline] and [PacketConn.SetWriteDeadline].
func (c *PacketConn) SetDeadline(t time.Time) error { return c.socket.setDeadlines(t, true, true) }

// SetReadDeadline is [Conn.SetReadDeadline] for datagrams.
func (c *PacketConn) SetReadDeadline(t time.Time) error { return c.socket.setDeadlines(t, true, false) }

// SetWriteDeadline is [Conn.SetWriteDeadline] for datagrams. A datagram is never sent in
// part.
func (c *PacketConn) SetWriteDeadline(t time.Time) error {
	return c.socket.setDeadlines(t, false, true)
}

// wrongAddressError is the error of an address to which nothing can be sent on the network.
func wrongAddressError(network string, to net.Addr) error {
	return fmt.Errorf("netio: a %T is not an address of the network %s: %w", to, network, syscall.EINVAL)
}

// packetReadFrom is what ReadFromAsync runs as a machine.
//
//movenext:async
func packetReadFrom(c *PacketConn, p []byte) (int, net.Addr, error) { return c.ReadFrom(p) }

// packetReadFromAddrPort is what ReadFromAddrPortAsync runs as a machine.
//
//movenext:async
func packetReadFromAddrPort(c *PacketConn, p []byte) (int, netip.AddrPort, error) {
	return c.ReadFromAddrPort(p)
}

// packetWriteTo is what WriteToAsync runs as a machine.
//
//movenext:async
func packetWriteTo(c *PacketConn, p []byte, to net.Addr) (int, error) { return c.WriteTo(p, to) }

// packetWriteToAddrPort is what WriteToAddrPortAsync runs as a machine.
//
//movenext:async
func packetWriteToAddrPort(c *PacketConn, p []byte, to netip.AddrPort) (int, error) {
	return c.WriteToAddrPort(p, to)
}
