//go:build linux

package main

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// # The client
//
// One thread serves all connections of the client with its own epoll instance, in the simplest
// way: level-triggered, one buffer. On a machine with two processors the client competes with the
// server for them, so it must be cheap, and the same for all contenders.

// crowd is a set of connections to one server.
type crowd struct {
	epoll   int
	members []*member
	byFD    map[int32]*member
	buffer  [64 << 10]byte
}

// member is one connection.
type member struct {
	fd   int
	sent time.Time
	left int // bytes of the answer that have not arrived
}

// enter opens n connections.
func enter(address string, n int) (*crowd, error) {
	return enterBy(address, n, func(int, *member) error { return nil })
}

// enterBy opens n connections, and greets each before opening the next, so that clients do not
// all connect at once and then wait.
func enterBy(address string, n int, greet func(i int, m *member) error) (*crowd, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	c := &crowd{epoll: epoll, byFD: map[int32]*member{}}
	for i := range n {
		m, err := connect(address)
		if err == nil {
			c.members = append(c.members, m)
			err = greet(i, m)
		}
		if err != nil {
			c.leave()
			return nil, err
		}
		c.byFD[int32(m.fd)] = m
	}
	return c, nil
}

// connect opens a connection whose calls block.
func connect(address string) (*member, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		_ = syscall.Close(fd)
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
		return nil, fmt.Errorf("setsockopt: %w", err)
	}
	return &member{fd: fd}, nil
}

// Read implements io.Reader, blocking.
func (m *member) Read(p []byte) (int, error) {
	n, err := syscall.Read(m.fd, p)
	if n == 0 && err == nil {
		err = errClosed
	}
	return max(n, 0), err
}

// Write implements io.Writer, blocking.
func (m *member) Write(p []byte) (int, error) { return syscall.Write(m.fd, p) }

var errClosed = fmt.Errorf("the server has closed the connection")

// leave closes all connections. A reset spares the system the states that follow a close.
func (c *crowd) leave() {
	for _, m := range c.members {
		m.reset()
	}
	_ = syscall.Close(c.epoll)
}

func (m *member) reset() {
	_ = syscall.SetsockoptLinger(m.fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
	_ = syscall.Close(m.fd)
}

// once makes each member send a message and wait for the answer, one member after the other.
func (c *crowd) once(message []byte, answer int) error {
	for _, m := range c.members {
		if _, err := m.Write(message); err != nil {
			return err
		}
		for left := answer; left > 0; {
			n, err := m.Read(c.buffer[:left])
			if err != nil {
				return err
			}
			left -= n
		}
	}
	return nil
}

// watch makes the connections nonblocking, and adds them to the epoll instance.
func (c *crowd) watch() error {
	for _, m := range c.members {
		if err := syscall.SetNonblock(m.fd, true); err != nil {
			return err
		}
		ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(m.fd)}
		if err := syscall.EpollCtl(c.epoll, syscall.EPOLL_CTL_ADD, m.fd, &ev); err != nil {
			return fmt.Errorf("epoll_ctl: %w", err)
		}
	}
	return nil
}

// heard calls f for each member that has received bytes, with these bytes, until the time is over
// or f is satisfied. Between two waits it calls meanwhile, if that is not nil.
func (c *crowd) heard(until time.Time, meanwhile func() error, f func(m *member, p []byte) (enough bool, err error)) error {
	var events [256]syscall.EpollEvent
	for {
		if meanwhile != nil {
			if err := meanwhile(); err != nil {
				return err
			}
		}
		n, err := syscall.EpollWait(c.epoll, events[:], 1)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll_wait: %w", err)
		}
		for _, ev := range events[:max(n, 0)] {
			m := c.byFD[ev.Fd]
			read, err := m.Read(c.buffer[:])
			if err == syscall.EAGAIN {
				continue
			}
			if err != nil {
				return err
			}
			if enough, err := f(m, c.buffer[:read]); enough || err != nil {
				return err
			}
		}
		if time.Now().After(until) {
			return nil
		}
	}
}

// talk makes each member send messages, each after the answer to the previous one, and returns
// the times that the answers took.
func (c *crowd) talk(message []byte, last time.Duration) ([]time.Duration, error) {
	if err := c.watch(); err != nil {
		return nil, err
	}
	for _, m := range c.members {
		m.sent, m.left = time.Now(), len(message)
		if _, err := m.Write(message); err != nil {
			return nil, err
		}
	}
	var took []time.Duration
	err := c.heard(time.Now().Add(last), nil, func(m *member, p []byte) (bool, error) {
		if m.left -= len(p); m.left > 0 {
			return false, nil
		}
		now := time.Now()
		took = append(took, now.Sub(m.sent))
		m.sent, m.left = now, len(message)
		_, err := m.Write(message)
		return false, err
	})
	slices.Sort(took)
	return took, err
}
