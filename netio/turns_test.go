//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apart returns a socket that no poller knows, ready to read, and the descriptor of its peer.
func apart(t *testing.T, blocking bool) (s *socket, peer int) {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	for _, fd := range pair {
		require.NoError(t, syscall.SetNonblock(fd, !blocking))
	}
	t.Cleanup(func() {
		_ = syscall.Close(pair[0])
		_ = syscall.Close(pair[1])
	})
	s = &socket{fd: pair[0], stream: true, network: "unix", poller: &poller{epoch: time.Now()}}
	s.in.ready = true
	return s, pair[1]
}

// until waits for a condition that the socket's lock guards.
func (s *socket) until(holds func() bool) {
	for {
		s.mu.Lock()
		done := holds()
		s.mu.Unlock()
		if done {
			return
		}
		runtime.Gosched()
	}
}

// Events come while reads are in the system that find nothing: each is a reason to read again. A
// read of a blocking socket with a time limit is one that lasts, if its buffer is long: see recv.
func TestAnEventDuringTheSystemCallIsNotLost(t *testing.T) {
	s, peer := apart(t, true)
	limit := syscall.NsecToTimeval(int64(20 * time.Millisecond))
	require.NoError(t, syscall.SetsockoptTimeval(s.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit))
	tr := transfer{kind: reading, buf: make([]byte, 64<<10)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.do(&tr)
	}()
	for range 2 { // the first read is an attempt without an operation
		s.until(func() bool { return s.inside == 1 })
		s.event(readable, 1)
		s.until(func() bool { return !s.in.proven }) // the read has found nothing
	}
	s.until(func() bool { return s.in.first != nil })
	s.until(func() bool {
		assert.False(t, s.in.ready, "it waits, though an event has come")
		return true
	})
	_, err := syscall.Write(peer, []byte("news"))
	require.NoError(t, err)
	s.event(readable, 1)
	<-read
	require.NoError(t, tr.err)
	assert.Equal(t, "news", string(tr.buf[:tr.n]))
}

// An event may concern data that a read has taken since, also if the read was full and so has
// shown nothing: the wait for more data must look.
func TestAnEventOfDataThatWereReadProvesNothing(t *testing.T) {
	s, peer := apart(t, false)
	_, err := syscall.Write(peer, []byte("news"))
	require.NoError(t, err)
	s.poller.fetches.Store(5) // the fetch that returns the event has begun
	tr := transfer{kind: filling, buf: make([]byte, 4)}
	require.Equal(t, finished, s.try(&tr, false))
	require.Equal(t, 4, tr.n)
	s.event(readable, 5)
	look := transfer{kind: looking}
	assert.Equal(t, mustWait, s.try(&look, false))

	_, err = syscall.Write(peer, []byte("more"))
	require.NoError(t, err)
	s.event(readable, 6)
	assert.Equal(t, finished, s.try(&look, false))
}

func TestASocketWithoutDataIsNotReady(t *testing.T) {
	s, _ := apart(t, false)
	tr := transfer{kind: reading, buf: make([]byte, 8)}
	assert.Equal(t, mustWait, s.try(&tr, false))
	assert.False(t, s.in.ready)
	assert.False(t, s.in.taken)
}

// The first reader has the turn when it learns that its context has ended.
func TestAnOperationThatEndsPassesItsTurnOn(t *testing.T) {
	s, _ := apart(t, false)
	s.in.ready = false
	gone := errors.New("gone")
	var both [2]*operation
	for i := range both {
		both[i] = &operation{transfer: transfer{kind: reading, buf: make([]byte, 8)}, socket: s, wake: make(chan struct{}, 1)}
		require.Equal(t, queued, s.enqueue(both[i], false))
	}
	s.event(readable, 1)
	<-both[0].wake
	both[0].ctxWatch = &contextWatch{op: both[0], reason: gone}
	assert.Equal(t, finished, s.proceed(both[0]))
	require.ErrorIs(t, both[0].err, gone)
	require.Len(t, both[1].wake, 1)
	assert.Equal(t, granted, both[1].state)
}

func TestTheLastOperationClosesTheDescriptor(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := l.socket
	inode := func() uint64 {
		var st syscall.Stat_t
		if syscall.Fstat(s.fd, &st) != nil {
			return 0
		}
		return st.Ino
	}
	before := inode()
	s.mu.Lock()
	s.inside++ // an operation is in the system
	s.mu.Unlock()
	require.NoError(t, l.Close())
	assert.Equal(t, before, inode())
	s.mu.Lock()
	s.leave()
	s.mu.Unlock()
	assert.NotEqual(t, before, inode())
}
