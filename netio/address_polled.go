//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// addressOf translates an address of the system.
func addressOf(a syscall.Sockaddr) (addrPort netip.AddrPort, name string) {
	switch a := a.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)), ""
	case *syscall.SockaddrInet6:
		ip := netip.AddrFrom16(a.Addr).Unmap()
		if a.ZoneId != 0 && !ip.Is4() {
			ip = ip.WithZone(zone(a.ZoneId))
		}
		return netip.AddrPortFrom(ip, uint16(a.Port)), ""
	case *syscall.SockaddrUnix:
		return addrPort, a.Name
	}
	return addrPort, ""
}

// zone returns the name of a network interface, or its number if it no longer has a name.
func zone(id uint32) string {
	if i, err := net.InterfaceByIndex(int(id)); err == nil {
		return i.Name
	}
	return strconv.FormatUint(uint64(id), 10)
}

// LocalAddr returns the address on this side.
func (s *socket) LocalAddr() net.Addr { return netAddr(s.network, s.addrs.local, s.addrs.localName) }

// RemoteAddr returns the address of the peer, or nil.
func (s *socket) RemoteAddr() net.Addr {
	if !s.addrs.remote.IsValid() && !s.isUnix() {
		return nil
	}
	return netAddr(s.network, s.addrs.remote, s.addrs.remoteName)
}

func (s *socket) isUnix() bool { return s.network[0] == 'u' && s.network[1] == 'n' }
