//go:build (darwin || dragonfly || freebsd || netbsd || openbsd || (linux && netio_kqueue)) && !netio_portable

package netio

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func somethingToRead(slot, generation uint32) event {
	ev := change(int(slot), filterRead, 0)
	mark(&ev, generation)
	return ev
}

func TestWhatAnEventLetsGoOn(t *testing.T) {
	for _, c := range []struct {
		filter, flags int
		want          conditions
	}{
		{filterRead, flagClear, readable},
		{filterWrite, flagClear, writable},
		{filterRead, flagClear | flagEnd, readable | readEnd | writable},
		{filterWrite, flagClear | flagEnd, writable | writeEnd},
		{filterRead, flagError, readable | readEnd | writable | writeEnd},
	} {
		ev := change(1, c.filter, c.flags)
		assert.Equal(t, c.want, conditionsOf(&ev), "filter %d, flags %#x", c.filter, c.flags)
	}
}

// opened returns a poller that has no goroutine, and is not the current one.
func opened(t *testing.T) *poller {
	t.Helper()
	p := new(poller)
	require.NoError(t, p.open())
	return p
}

func TestEventsComeOnceUnderTheGenerationOfTheirSlot(t *testing.T) {
	p := opened(t)
	defer p.close()
	s, peer := apart(t, false)
	tell := func() {
		_, err := syscall.Write(peer, []byte("news"))
		require.NoError(t, err)
	}
	fetch := func() (filters []int) {
		var events [8]event
		for _, ev := range events[:fetchEvents(p.queue, events[:], &noTime)] {
			filters = append(filters, int(ev.Filter))
			assert.Equal(t, s.fd, slotOf(&ev))
			assert.True(t, hasGeneration(&ev, 1))
			assert.False(t, hasGeneration(&ev, 0))
		}
		return filters
	}
	i := p.allocateSlot(s.fd)
	p.freeSlot(i)
	require.NoError(t, p.add(s.fd, i))
	tell()
	assert.ElementsMatch(t, []int{filterRead, filterWrite}, fetch())
	assert.Empty(t, fetch(), "nothing is new")
	tell()
	assert.Contains(t, fetch(), filterRead)
	p.remove(s.fd)
	tell()
	assert.Empty(t, fetch())
}

// A worker that looks when the last socket ends does not take the event from the goroutine, nor
// does one that looks later touch the descriptor of the kqueue.
func TestALookLeavesTheEventOfTheEndToTheGoroutine(t *testing.T) {
	p := opened(t)
	p.end()
	p.Poll()
	p.loop()
	p.Poll()
	var st syscall.Stat_t
	assert.ErrorIs(t, syscall.Fstat(p.wakePipe[0], &st), syscall.EBADF)
}
