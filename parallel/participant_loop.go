package parallel

import (
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// runForMachine runs the loop for a machine. A suspended body holds no worker, so
// only the degree bounds how many there are, however few workers the scheduler
// has.
func (l *loop) runForMachine(n uint, s settings) error {
	members := s.members()
	l.blocks = divide(n, s, members)
	members = min(members, int(l.blocks.count))
	l.claims = newClaims(l.blocks.count, s, members)
	t := newParticipants(&l.operation)
	items := &loopItems{loop: l, participants: t}
	items.more.Store(int64(members - 1))
	t.items = items
	t.live.Store(2) // the first participant, and the caller
	return t.run(items.participant())
}

// loopItems gives out the indexes of a loop, according to its partition.
type loopItems struct {
	loop         *loop
	participants *participants
	more         atomic.Int64 // participants that may still be started
}

func (i *loopItems) participant() *participant {
	return &participant{participants: i.participants, body: i.loop.body, whole: !i.loop.each}
}

func (i *loopItems) next(p *participant) bool {
	if p.part == nil {
		p.part = i.loop.claims.join()
	}
	lo, hi := p.part.claim()
	p.lo, p.hi = i.loop.index(lo), i.loop.index(hi)
	return lo != hi
}

// beforeBody starts one more participant, if one more is allowed and likely to find an
// index. If that is refused, no more are started, and the existing participants
// do everything.
func (i *loopItems) beforeBody(on schedulers.Worker) {
	if i.more.Load() <= 0 || !i.loop.claims.hasMore() || i.more.Add(-1) < 0 {
		return
	}
	if schedulers.TrySubmit(i.participants.home, i.participant(), schedulers.Hint{From: on}) != nil {
		i.more.Store(0)
	}
}

func (i *loopItems) afterBodies() {}
