//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A batch may name a socket that was closed after the fetch, and whose slot has been taken since.
func TestAnEventOfAClosedSocketDoesNotReachTheNextInItsSlot(t *testing.T) {
	kept, err := Listen("tcp", "127.0.0.1:0") // the poller stays
	require.NoError(t, err)
	defer func() { _ = kept.Close() }()

	first, err := Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p, slot := first.socket.poller, first.socket.slot
	generation := p.slots[slot].generation
	require.NoError(t, first.Close())

	second, err := Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = second.Close() }()
	require.Equal(t, slot, second.socket.slot)
	edges := func() uint32 {
		second.socket.mu.Lock()
		defer second.socket.mu.Unlock()
		return second.socket.in.edges
	}
	var found [1]socketEvent
	p.handle([]event{somethingToRead(slot, generation)}, p.fetches.Add(1), found[:0])
	assert.Zero(t, edges())

	p.handle([]event{somethingToRead(slot, generation+1)}, p.fetches.Add(1), found[:0])
	assert.Equal(t, uint32(1), edges())
}
