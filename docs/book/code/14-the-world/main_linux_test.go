package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// forgetful: true , the machine continues: false, <nil>
	// forgetful: false, the machine continues: true, <nil>
	// 300 connections, 300 answers, fewer goroutines than connections: true, <nil>
}

// Exercise 1: close notifies the machine that waits; otherwise it would wait forever.
func (c *conn) closeAndTell() error {
	c.poller.mu.Lock()
	waiter := c.waiter
	c.waiter = nil
	c.poller.mu.Unlock()
	if waiter != nil {
		waiter.TrySetError(syscall.EBADF)
	}
	return c.close()
}

func TestExercise1CloseTellsTheWaiter(t *testing.T) {
	p, err := newPoller()
	require.NoError(t, err)
	defer func() { _ = syscall.Close(p.epoll) }()
	c, peer, err := p.pair()
	require.NoError(t, err)
	defer func() { _ = syscall.Close(peer) }()
	reading := c.readAsync(make([]byte, 8))
	require.NoError(t, c.closeAndTell())
	_, err = reading.Await()
	assert.ErrorIs(t, err, syscall.EBADF)
}

// Exercise 2: a reused number belongs to another connection. The event has the number and a
// generation, and an old one is dropped.
func TestExercise2AnOldEventIsDropped(t *testing.T) {
	type key struct {
		fd, generation int32
	}
	conns := map[key]*conn{}
	told := 0
	tell := func(e syscall.EpollEvent) {
		if c := conns[key{e.Fd, e.Pad}]; c != nil { // the kernel returns both as they were given
			told++
		}
	}
	old, now := syscall.EpollEvent{Fd: 5, Pad: 1}, syscall.EpollEvent{Fd: 5, Pad: 2}
	conns[key{5, 1}] = &conn{waiter: job.NewSource[job.Void]()}
	delete(conns, key{5, 1})
	conns[key{5, 2}] = &conn{}
	tell(old)
	assert.Zero(t, told)
	tell(now)
	assert.Equal(t, 1, told)
}
