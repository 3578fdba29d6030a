//go:build linux

package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cloudwego/netpoll"
	"github.com/lesismal/nbio"
	"github.com/panjf2000/gnet/v2"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

//go:generate go tool movenext .

// Servers that echo what they read. A message that begins with an exclamation mark goes to
// all connections.

// bufferSize is the size of a server's read buffers.
const bufferSize = 4096

// buffers are shared by the connections that hold one only while they read.
var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

const anyPort = "127.0.0.1:0"

// group is the connections of a server.
type group[C interface{ Write([]byte) (int, error) }] struct {
	mu  sync.Mutex
	all map[int]C
	ids int
}

func (g *group[C]) add(c C) (id int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[int]C{}
	}
	g.ids++
	g.all[g.ids] = c
	return g.ids
}

func (g *group[C]) remove(id int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, id)
}

// tell sends p to all. A message is small and the peers read, so no write waits for long.
func (g *group[C]) tell(p []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.all {
		_, _ = c.Write(p) // its own loop notices the end of a connection
	}
}

// goroutines is the server as users usually write it: a goroutine for each connection.
func goroutines() (string, error) {
	l, err := net.Listen("tcp", anyPort)
	if err != nil {
		return "", err
	}
	var g group[net.Conn]
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go echoBlocking(&g, c)
		}
	}()
	return l.Addr().String(), nil
}

func echoBlocking(g *group[net.Conn], c net.Conn) {
	id := g.add(c)
	defer g.remove(id)
	defer func() { _ = c.Close() }()
	p := make([]byte, bufferSize)
	for {
		n, err := c.Read(p)
		if err != nil {
			return
		}
		if p[0] == '!' {
			g.tell(p[:n])
			continue
		}
		if _, err := c.Write(p[:n]); err != nil {
			return
		}
	}
}

// machines is the same server as machines.
func machines() (string, error) {
	l, err := netio.Listen("tcp", anyPort)
	if err != nil {
		return "", err
	}
	_ = acceptAsync(context.Background(), l)
	return l.Addr().String(), nil
}

//movenext:async
func accept(ctx context.Context, l *netio.Listener) error {
	var g group[*netio.Conn]
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		_ = echoAsync(ctx, &g, c)
	}
}

//movenext:async
func echo(ctx context.Context, g *group[*netio.Conn], c *netio.Conn) error {
	id := g.add(c)
	defer g.remove(id)
	defer func() { _ = c.Close() }()
	for {
		if err := c.Readable(ctx); err != nil {
			return err
		}
		p := buffers.Get().(*[bufferSize]byte)
		n, err := c.Read(p[:])
		if err == nil && p[0] == '!' {
			g.tell(p[:n])
		} else if err == nil {
			_, err = c.Write(p[:n])
		}
		buffers.Put(p)
		if err != nil {
			return err
		}
	}
}

// cloudwego is a server on github.com/cloudwego/netpoll.
func cloudwego() (string, error) {
	l, err := netpoll.CreateListener("tcp", anyPort)
	if err != nil {
		return "", err
	}
	loop, err := netpoll.NewEventLoop(func(_ context.Context, c netpoll.Connection) error {
		r, w := c.Reader(), c.Writer()
		p, err := r.Next(r.Len())
		if err != nil {
			return err
		}
		if _, err := w.WriteBinary(append([]byte(nil), p...)); err != nil {
			return err
		}
		return errors.Join(r.Release(), w.Flush())
	})
	if err != nil {
		return "", err
	}
	go func() { _ = loop.Serve(l) }()
	return l.Addr().String(), nil
}

// gnetServer is a server on github.com/panjf2000/gnet.
type gnetServer struct {
	gnet.BuiltinEventEngine
	booted chan struct{}
}

func (s *gnetServer) OnBoot(gnet.Engine) gnet.Action {
	close(s.booted)
	return gnet.None
}

func (s *gnetServer) OnTraffic(c gnet.Conn) gnet.Action {
	p, err := c.Next(-1)
	if err == nil {
		_, err = c.Write(p)
	}
	if err != nil {
		return gnet.Close
	}
	return gnet.None
}

func gnetEcho() (string, error) {
	return atFreeAddress(func(address string) error {
		s := &gnetServer{booted: make(chan struct{})}
		failed := make(chan error, 1)
		go func() { failed <- gnet.Run(s, "tcp://"+address, gnet.WithMulticore(true)) }()
		select {
		case <-s.booted:
			return nil
		case err := <-failed:
			return err
		}
	})
}

// nbioEcho is a server on github.com/lesismal/nbio.
func nbioEcho() (string, error) {
	return atFreeAddress(func(address string) error {
		e := nbio.NewEngine(nbio.Config{Network: "tcp", Addrs: []string{address}, MaxWriteBufferSize: 6 << 20})
		e.OnData(func(c *nbio.Conn, p []byte) { _, _ = c.Write(append([]byte(nil), p...)) })
		return e.Start()
	})
}

// atFreeAddress starts a server that cannot report which port it was given. Another process may
// take a free port before the server does, so atFreeAddress tries several.
func atFreeAddress(start func(address string) error) (string, error) {
	var failed error
	for range 5 {
		l, err := net.Listen("tcp", anyPort)
		if err != nil {
			return "", err
		}
		address := l.Addr().String()
		if err := l.Close(); err != nil {
			return "", err
		}
		if failed = start(address); failed == nil {
			return address, nil
		}
	}
	return "", failed
}

// bare is a single-threaded epoll loop that can only echo. It is the lower bound of all
// servers.
func bare() (string, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return "", err
	}
	if err := syscall.Listen(fd, syscall.SOMAXCONN); err != nil {
		return "", err
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return "", err
	}
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return "", err
	}
	if err := watchFD(epoll, fd); err != nil {
		return "", err
	}
	go bareLoop(epoll, fd)
	return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String(), nil
}

func watchFD(epoll, fd int) error {
	return syscall.EpollCtl(epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func bareLoop(epoll, listener int) {
	var events [256]syscall.EpollEvent
	var p [bufferSize]byte
	for {
		n, _ := syscall.EpollWait(epoll, events[:], -1)
		for _, ev := range events[:max(n, 0)] {
			if int(ev.Fd) == listener {
				if fd, _, err := syscall.Accept4(listener, syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK); err == nil {
					_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
					_ = watchFD(epoll, fd)
				}
				continue
			}
			read, err := syscall.Read(int(ev.Fd), p[:])
			if read > 0 {
				_, err = syscall.Write(int(ev.Fd), p[:read])
			}
			if read == 0 || err != nil {
				_ = syscall.Close(int(ev.Fd))
			}
		}
	}
}

// # A server that computes
//
// Its processors always have other work: pieces of 20 µs, with a yield after each.

const piece = 20 * time.Microsecond

var computed atomic.Int64 // so that no compiler leaves the work out

//movenext:async
func compute(ctx context.Context) {
	for ctx.Err() == nil {
		sum := 0
		for began := time.Now(); time.Since(began) < piece; sum++ {
		}
		computed.Store(int64(sum))
		job.Yield()
	}
}
