package netio

import (
	"context"
	"errors"
	"net"
	"net/netip"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// Listen listens on an address of the network "tcp", "tcp4", "tcp6" or "unix", as [net.Listen]
// does. It blocks only to look up a name in address.
func Listen(network, address string) (*Listener, error) {
	switch network {
	case "tcp", "tcp4", "tcp6", "unix":
	default:
		return nil, &net.OpError{Op: "listen", Net: network, Err: net.UnknownNetworkError(network)}
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	return takeListener(l)
}

// Dial connects to an address on any network of [net.Dial] except "ip": TCP, UDP and Unix
// sockets. ctx limits the dial, not the connection. It blocks; its twin is [DialAsync].
func Dial(ctx context.Context, network, address string) (*Conn, error) {
	if err := checkDial(ctx, network); err != nil {
		return nil, err
	}
	return DialAsync(ctx, network, address).Wait(withoutCancel(ctx))
}

// DialAsync is [Dial] as a job, which is Canceled when ctx ends first. The dial, which may
// include looking up a name, holds a goroutine; the connection holds none.
func DialAsync(ctx context.Context, network, address string) *job.Job[*Conn] {
	if ctx == nil {
		ctx = context.Background()
	}
	p := new(promise.Promise[*Conn])
	promise.Init(&p.Job)
	if err := checkDial(ctx, network); err != nil {
		promise.TryComplete(p, ctx, nil, err) // the job is not published yet: no waiter to notify
		return &p.Job
	}
	go promise.Perform(p, ctx, func() (*Conn, error) { return dial(ctx, network, address) })
	return &p.Job
}

func withoutCancel(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return context.WithoutCancel(ctx)
}

func checkDial(ctx context.Context, network string) error {
	switch network {
	case "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6", "unix", "unixgram", "unixpacket":
		return endReason(ctx)
	}
	return &net.OpError{Op: "dial", Net: network, Err: net.UnknownNetworkError(network)}
}

// dial leaves name lookup, the choice among several addresses and their order to package net, and
// adopts its connection.
func dial(ctx context.Context, network, address string) (*Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, network, address)
	if err != nil {
		if why := endReason(ctx); why != nil {
			return nil, errors.Join(why, err)
		}
		return nil, err
	}
	return take(nc, nil)
}

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }

// netAddr returns an address in the form of package net.
func netAddr(network string, addrPort netip.AddrPort, name string) net.Addr {
	switch network {
	case "unix", "unixgram", "unixpacket":
		return &net.UnixAddr{Net: network, Name: name}
	case "udp", "udp4", "udp6":
		return net.UDPAddrFromAddrPort(addrPort)
	default:
		return net.TCPAddrFromAddrPort(addrPort)
	}
}
