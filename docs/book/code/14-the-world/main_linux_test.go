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

// Exercise 1: close notifies the machine that waits; otherwise it would wait forever. A machine
// may also have read EAGAIN, and not wait yet: that is the race of the chapter, and the flag is
// for it. Either machine reads once more, and finds the descriptor closed.
func (c *conn) closeAndTell() error {
	err := c.close()
	c.poller.mu.Lock()
	defer c.poller.mu.Unlock()
	c.tell()
	return err
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

	late, other, err := p.pair()
	require.NoError(t, err)
	defer func() { _ = syscall.Close(other) }()
	require.NoError(t, late.closeAndTell())
	assert.True(t, late.arrival().IsCompleted(), "a machine whose read came before, and whose wait comes after")
}

// Exercise 2: a reused number belongs to another connection. The event has the number and a
// generation, and an old one is dropped.
func TestExercise2AnOldEventIsDropped(t *testing.T) {
	p, err := newPoller()
	require.NoError(t, err)
	defer func() { _ = syscall.Close(p.epoll) }()
	watched, peer, err := p.pair()
	require.NoError(t, err)
	defer func() { _ = syscall.Close(peer) }()
	marked := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(watched.fd), Pad: 7}
	require.NoError(t, syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_MOD, watched.fd, &marked))
	_, err = syscall.Write(peer, []byte("x"))
	require.NoError(t, err)
	var events [1]syscall.EpollEvent
	n, err := syscall.EpollWait(p.epoll, events[:], -1)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.EqualValues(t, 7, events[0].Pad, "the kernel returns the generation as it was given")
	require.NoError(t, watched.close())

	type key struct {
		fd, generation int32
	}
	conns := map[key]*conn{}
	told := 0
	tell := func(e syscall.EpollEvent) {
		if c := conns[key{e.Fd, e.Pad}]; c != nil {
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
