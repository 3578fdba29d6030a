//go:build linux && !race && !msan && !asan && !386 && !s390x && !netio_portable

package netio

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A duplicate elsewhere may clear O_NONBLOCK. A call that keeps the processor must not wait then:
// this test would hang.
func TestNoCallWaitsWithItsProcessor(t *testing.T) {
	s, peer := apart(t, true)
	_, err := recv(s.fd, make([]byte, maxKept))
	assert.Equal(t, syscall.EAGAIN, err)
	assert.Equal(t, syscall.EAGAIN, peek(s.fd))

	p := bytes.Repeat([]byte("x"), maxKept)
	written := 0
	for err = nil; err == nil; {
		var n int
		n, err = send(s.fd, p)
		written += n
	}
	assert.Equal(t, syscall.EAGAIN, err)

	read := 0
	for read < written {
		n, err := recv(peer, p)
		require.NoError(t, err)
		read += n
	}
	_, err = recv(peer, p)
	assert.Equal(t, syscall.EAGAIN, err)
}

// A peer that is gone ends a write with an error, and not the process with a signal.
func TestAWriteToAPeerThatIsGoneReturnsAnError(t *testing.T) {
	s, peer := apart(t, false)
	require.NoError(t, syscall.Shutdown(peer, syscall.SHUT_RDWR))
	_, err := send(s.fd, []byte("news"))
	assert.Equal(t, syscall.EPIPE, err)
}
