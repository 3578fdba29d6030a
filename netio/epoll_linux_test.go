//go:build !netio_portable && !netio_kqueue

package netio

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func somethingToRead(slot, generation uint32) event {
	return event{Events: syscall.EPOLLIN, Fd: int32(slot), Pad: int32(generation)}
}

func TestWhatAnEventLetsGoOn(t *testing.T) {
	all := readable | readEnd | writable | writeEnd
	for ev, want := range map[uint32]conditions{
		syscall.EPOLLIN:                    readable,
		syscall.EPOLLOUT:                   writable,
		syscall.EPOLLRDHUP:                 readable | readEnd,
		syscall.EPOLLPRI:                   readable | readEnd,
		syscall.EPOLLHUP:                   all,
		syscall.EPOLLERR:                   all,
		syscall.EPOLLIN | syscall.EPOLLOUT: readable | writable,
	} {
		assert.Equal(t, want, conditionsOf(&event{Events: ev}), "event %#x", ev)
	}
}

func TestEventsComeOnce(t *testing.T) {
	p := new(poller)
	require.NoError(t, p.open())
	defer p.end()
	s, peer := apart(t, false)
	require.NoError(t, p.add(s.fd, p.allocateSlot(s.fd)))
	_, err := syscall.Write(peer, []byte("news"))
	require.NoError(t, err)
	var events [8]event
	assert.Equal(t, 1, fetchEvents(p.epoll, events[:]))
	assert.Zero(t, fetchEvents(p.epoll, events[:]), "nothing is new")
}
