//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"
)

// takePacket makes a PacketConn of pc, as take makes a Conn.
func takePacket(pc net.PacketConn) (*PacketConn, error) {
	s, err := adoptSocket(pc.(syscall.Conn), pc.LocalAddr(), func(s *socket) error {
		if local, err := syscall.Getsockname(s.fd); err == nil {
			_, s.ipv6 = local.(*syscall.SockaddrInet6)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_ = pc.Close() // its descriptor; the socket is open
	return &PacketConn{s}, nil
}

// sender is the address of the datagram that t has received, in the form of package net.
func (t *transfer) sender(s *socket) net.Addr {
	if s.isUnix() && t.sys.name == "" {
		return nil
	}
	return netAddr(s.network, t.sys.from, t.sys.name)
}

func (t *transfer) senderPort() netip.AddrPort { return t.sys.from }

// setAddress takes the address to send to from its form in package net.
func (t *transfer) setAddress(s *socket, to net.Addr) error {
	switch to := to.(type) {
	case *net.UDPAddr:
		if to != nil && !s.isUnix() {
			t.setAddrPort(to.AddrPort())
			return nil
		}
	case *net.UnixAddr:
		if to != nil && s.isUnix() {
			t.sys.name = to.Name
			return nil
		}
	}
	return &net.OpError{Op: "write", Net: s.network, Source: s.LocalAddr(), Addr: to, Err: wrongAddressError(s.network, to)}
}

func (t *transfer) setAddrPort(to netip.AddrPort) { t.sys.from = to }

// peer is the address to send to, as the system takes it.
func (t *transfer) peer(s *socket) (syscall.Sockaddr, error) {
	if s.isUnix() {
		return &syscall.SockaddrUnix{Name: t.sys.name}, nil
	}
	at := t.sys.from
	switch ip := at.Addr(); {
	case !ip.IsValid():
		return nil, syscall.EINVAL
	case s.ipv6:
		return &syscall.SockaddrInet6{Addr: ip.As16(), Port: int(at.Port()), ZoneId: zoneID(ip.Zone())}, nil
	case ip.Unmap().Is4():
		return &syscall.SockaddrInet4{Addr: ip.As4(), Port: int(at.Port())}, nil
	default:
		return nil, syscall.EAFNOSUPPORT
	}
}

// zoneID is the number of a network interface; zone is its reverse.
func zoneID(zone string) uint32 {
	if zone == "" {
		return 0
	}
	if i, err := net.InterfaceByName(zone); err == nil {
		return uint32(i.Index)
	}
	id, _ := strconv.ParseUint(zone, 10, 32)
	return uint32(id)
}

// receive takes a datagram out of the socket. An empty one is a datagram, too.
func (t *transfer) receive(s *socket) (done, drained bool) {
	for {
		n, from, err := syscall.Recvfrom(s.fd, t.buf, 0)
		switch err {
		case nil:
			t.n = n
			t.sys.from, t.sys.name = addressOf(from)
			return true, false
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false, true
		}
		t.err = s.wrap("read", os.NewSyscallError("recvfrom", err))
		return true, false
	}
}

// send hands a datagram to the system, which takes all of it or nothing.
func (t *transfer) send(s *socket) (done bool) {
	to, err := t.peer(s)
	for err == nil {
		switch err = syscall.Sendto(s.fd, t.buf, 0, to); err {
		case nil:
			t.n = len(t.buf)
			return true
		case syscall.EINTR:
			err = nil
		case syscall.EAGAIN:
			return false
		}
	}
	t.err = &net.OpError{
		Op: "write", Net: s.network, Source: s.LocalAddr(), Addr: netAddr(s.network, t.sys.from, t.sys.name),
		Err: os.NewSyscallError("sendto", err),
	}
	return true
}
