//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import (
	"net"
	"net/netip"
	"time"
)

// takePacket makes a PacketConn that uses pc.
func takePacket(pc net.PacketConn) (*PacketConn, error) {
	if err := pc.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return &PacketConn{&socket{conn: pc.(net.Conn)}}, nil
}

// sender is the address of the datagram that t has received.
func (t *transfer) sender(*socket) net.Addr {
	if u, ok := t.sys.peer.(*net.UnixAddr); ok && (u == nil || u.Name == "") {
		return nil
	}
	return t.sys.peer
}

func (t *transfer) senderPort() netip.AddrPort {
	u, ok := t.sys.peer.(*net.UDPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := u.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// setAddress takes the address to send to from its form in package net.
func (t *transfer) setAddress(s *socket, to net.Addr) error {
	switch own := s.LocalAddr(); to := to.(type) {
	case *net.UDPAddr:
		if _, ok := own.(*net.UDPAddr); ok && to != nil {
			t.sys.peer = to
			return nil
		}
	case *net.UnixAddr:
		if _, ok := own.(*net.UnixAddr); ok && to != nil {
			t.sys.peer = to
			return nil
		}
	}
	network := s.LocalAddr().Network()
	return &net.OpError{Op: "write", Net: network, Source: s.LocalAddr(), Addr: to, Err: wrongAddressError(network, to)}
}

func (t *transfer) setAddrPort(to netip.AddrPort) { t.sys.peer = net.UDPAddrFromAddrPort(to) }

// receive takes a datagram out of the socket.
func (t *transfer) receive(s *socket) {
	if t.err = s.checkDeadline(reading); t.err == nil {
		t.n, t.sys.peer, t.err = s.conn.(net.PacketConn).ReadFrom(t.buf)
	}
}

// send hands a datagram to the system.
func (t *transfer) send(s *socket) {
	if t.err = s.checkDeadline(sending); t.err == nil {
		t.n, t.err = s.conn.(net.PacketConn).WriteTo(t.buf, t.sys.peer)
	}
}
