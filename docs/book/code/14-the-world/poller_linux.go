package main

import (
	"sync"
	"syscall"

	"github.com/movenext/movenext/job"
)

// poller reports which sockets have something to read. The kernel keeps the list.
type poller struct {
	epoll     int
	forgetful bool // see the text: without the flag ready

	mu    sync.Mutex
	conns map[int32]*conn // by descriptor
}

// conn is a socket that does not block.
type conn struct {
	poller *poller
	fd     int

	// Guarded by poller.mu.
	ready  bool                  // something has arrived since the last check
	waiter *job.Source[job.Void] // of the machine that waits, or nil
}

func newPoller() (*poller, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &poller{epoll: epoll, conns: map[int32]*conn{}}, err
}

// add begins to watch a descriptor. Edge-triggered: the kernel reports an event when something
// arrives, and not again until something else does.
func (p *poller) add(fd int) (*conn, error) {
	c := &conn{poller: p, fd: fd}
	p.mu.Lock()
	p.conns[int32(fd)] = c
	p.mu.Unlock()
	edge := uint32(syscall.EPOLLIN | syscall.EPOLLRDHUP | 1<<31) // EPOLLET
	err := syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: edge, Fd: int32(fd)})
	return c, err
}

// poll waits for events, and notifies the machines. It reports whether there were any.
func (p *poller) poll(milliseconds int) bool {
	var events [128]syscall.EpollEvent
	n, _ := syscall.EpollWait(p.epoll, events[:], milliseconds)
	for _, e := range events[:max(n, 0)] {
		p.mu.Lock()
		if c := p.conns[e.Fd]; c != nil {
			c.tell()
		}
		p.mu.Unlock()
	}
	return n > 0
}

// tell wakes the waiter, or sets the flag for the next one.
func (c *conn) tell() {
	switch {
	case c.waiter != nil:
		c.waiter.TrySetResult(job.Void{})
		c.waiter = nil
	case !c.poller.forgetful:
		c.ready = true
	}
}

// arrival returns a job that ends when something has arrived since the last check.
func (c *conn) arrival() *job.Job[job.Void] {
	c.poller.mu.Lock()
	defer c.poller.mu.Unlock()
	if c.ready {
		c.ready = false
		return job.FromResult(job.Void{})
	}
	c.waiter = job.NewSource[job.Void]()
	return c.waiter.Job()
}

// read reads the available data, and suspends while there is none.
//
//movenext:async
func (c *conn) read(buffer []byte) (int, error) {
	for {
		n, err := syscall.Read(c.fd, buffer)
		if err != syscall.EAGAIN {
			return max(n, 0), err
		}
		if _, err := c.arrival().Await(); err != nil {
			return 0, err
		}
	}
}

// close ends the watch, and then the descriptor. The kernel would forget the descriptor
// by itself, but an event may be on its way, and the number may be another socket by then.
func (c *conn) close() error {
	c.poller.mu.Lock()
	defer c.poller.mu.Unlock()
	delete(c.poller.conns, int32(c.fd))
	return syscall.Close(c.fd)
}
