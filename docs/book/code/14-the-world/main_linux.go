// Command 14-the-world waits for sockets with a poller of sixty lines, and shows the race in
// it.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// echo returns what it reads, until the peer ends.
//
//movenext:async
func (c *conn) echo() error {
	buffer := make([]byte, 64)
	for {
		n, err := c.read(buffer)
		if n == 0 || err != nil {
			return err
		}
		if _, err := syscall.Write(c.fd, buffer[:n]); err != nil {
			return err
		}
	}
}

// pair returns two ends of a connection. Ours is watched, and does not block.
func (p *poller) pair() (ours *conn, theirs int, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		return nil, 0, err
	}
	ours, err = p.add(fds[0])
	return ours, fds[1], err
}

// late reads between the arrival of data and the event, or after it: the order that the
// caller wants. It reports whether the machine has read.
func late(forgetful bool) (read bool, err error) {
	p, err := newPoller()
	if err != nil {
		return false, err
	}
	defer func() { _ = syscall.Close(p.epoll) }()
	p.forgetful = forgetful
	c, peer, err := p.pair()
	if err != nil {
		return false, err
	}
	defer func() { _, _ = c.close(), syscall.Close(peer) }()
	_, nothing := syscall.Read(c.fd, make([]byte, 8)) // the machine checks: there is nothing
	if _, err := syscall.Write(peer, []byte("hello")); err != nil {
		return false, err
	}
	p.poll(1000)     // the event arrives
	j := c.arrival() // and only now the machine registers its wait
	for p.poll(0) {
	}
	return j.IsCompleted() && nothing == syscall.EAGAIN, nil
}

func main() {
	for _, forgetful := range []bool{true, false} {
		read, err := late(forgetful)
		fmt.Printf("forgetful: %-5v, the machine continues: %v, %v\n", forgetful, read, err)
	}
	if err := many(300); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answer polls until a peer has an answer, and returns it.
func (p *poller) answer(peer int) string {
	buffer := make([]byte, 8)
	for {
		n, _, err := syscall.Recvfrom(peer, buffer, syscall.MSG_DONTWAIT)
		if err != syscall.EAGAIN {
			return string(buffer[:max(n, 0)])
		}
		p.poll(1)
	}
}

// many lets machines echo on n connections, with one poller on this goroutine.
func many(n int) error {
	p, err := newPoller()
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(p.epoll) }()
	var peers []int
	var echoes []*job.Job[job.Void]
	for range n {
		c, peer, err := p.pair()
		if err != nil {
			return err
		}
		defer func() { _ = c.close() }()
		peers, echoes = append(peers, peer), append(echoes, c.echoAsync())
	}
	waiting := runtime.NumGoroutine()
	for _, peer := range peers {
		if _, err := syscall.Write(peer, []byte("hello")); err != nil {
			return err
		}
	}
	answers := 0
	for _, peer := range peers {
		if p.answer(peer) == "hello" {
			answers++
		}
		_ = syscall.Close(peer)
	}
	all := job.WhenAll(echoes...)
	for !all.IsCompleted() {
		p.poll(1)
	}
	_, err = all.Wait(context.Background())
	fmt.Printf("%d connections, %d answers, fewer goroutines than connections: %v, %v\n", n, answers, waiting < n/2, err)
	return nil
}
