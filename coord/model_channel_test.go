package coord

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// channelModel is a channel as slices: the held elements, the senders, the receivers.
type channelModel struct {
	capacity int
	full     FullMode
	ranked   bool

	held     []int
	sends    requests
	receives requests
	all      requests // both, by number
	dropped  []int
	closed   bool
}

func (m *channelModel) send(v int) {
	q := m.all.add(v)
	m.sends = append(m.sends, q)
	switch {
	case m.closed:
		q.out = "coord: closed"
	case len(m.receives.waiting()) > 0 || len(m.held) < m.capacity:
		m.accept(q)
	case m.full == Reject:
		q.out = "coord: full"
	case m.full == DropNewest || m.full == DropOldest && m.capacity == 0:
		m.dropped = append(m.dropped, v)
		q.out = "got {}"
	case m.full == DropOldest:
		m.dropped = append(m.dropped, m.held[0])
		m.held = m.held[1:]
		m.accept(q)
	}
	m.transfer()
}

func (m *channelModel) accept(q *request) {
	q.out = "got {}"
	m.held = append(m.held, q.arg)
	if m.ranked {
		slices.SortStableFunc(m.held, func(a, b int) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	}
}

// rankOf makes elements of few ranks, so that many share one.
func rankOf(v int) int64 { return int64(v % 3) }

func (m *channelModel) receive() {
	m.receives = append(m.receives, m.all.add(0))
	m.transfer()
}

func (m *channelModel) close() {
	m.closed = true
	for _, q := range m.sends.waiting() {
		q.out = "coord: closed"
	}
	m.transfer()
}

// transfer moves elements until nothing changes: waiting senders fill the free room, and
// a waiting receiver counts as room; waiting receivers take the elements that are there.
func (m *channelModel) transfer() {
	for moved := true; moved; {
		moved = false
		receivers := m.receives.waiting()
		if senders := m.sends.waiting(); len(senders) > 0 && len(m.held) < m.capacity+len(receivers) {
			m.accept(senders[0])
			moved = true
		}
		if len(receivers) > 0 && len(m.held) > 0 {
			receivers[0].out = fmt.Sprint("got ", m.held[0])
			m.held = m.held[1:]
			moved = true
		}
	}
	if m.closed {
		for _, q := range m.receives.waiting() {
			q.out = "coord: closed"
		}
	}
}

// channelKinds are the kinds of channels, each with its model.
var channelKinds = map[string]func(dropped func(int)) (*Channel[int], *channelModel){
	"rendezvous": func(func(int)) (*Channel[int], *channelModel) { return NewRendezvous[int](), new(channelModel) },
	"unbounded": func(func(int)) (*Channel[int], *channelModel) {
		return NewUnbounded[int](), &channelModel{capacity: 1 << 30}
	},
	"priority": func(func(int)) (*Channel[int], *channelModel) {
		return NewPriority(rankOf), &channelModel{capacity: 1 << 30, ranked: true}
	},
	"wait":     bounded(3, WaitForRoom),
	"newest":   bounded(3, DropNewest),
	"oldest":   bounded(3, DropOldest),
	"reject":   bounded(3, Reject),
	"oldest/0": bounded(0, DropOldest),
	"reject/0": bounded(0, Reject),
}

func bounded(capacity int, full FullMode) func(func(int)) (*Channel[int], *channelModel) {
	return func(dropped func(int)) (*Channel[int], *channelModel) {
		return NewBounded(capacity, full, Dropped(dropped)), &channelModel{capacity: capacity, full: full}
	}
}

func TestAChannelDoesWhatItsModelDoes(t *testing.T) {
	for name, kind := range channelKinds {
		t.Run(name, func(t *testing.T) {
			onModels(t, func(r *run) {
				var dropped []int
				c, m := kind(func(v int) { dropped = append(dropped, v) })
				sending := 2 + r.IntN(5) // of 8: some runs are mostly full, some mostly empty
				for step := range modelSteps {
					switch dice := r.IntN(10); {
					case dice < sending:
						r.notef("send %d", step)
						did(r, c.SendAsync(r.ctx(), step))
						m.send(step)
					case dice < 8:
						r.notef("receive")
						did(r, c.ReceiveAsync(r.ctx()))
						m.receive()
					case dice == 8:
						r.giveUp(m.all)
					case r.IntN(30) == 0:
						r.notef("close")
						c.Close()
						m.close()
					}
					r.compare(m.all)
					require.Equal(r.t, len(m.held), c.Len())
					require.Equal(r.t, m.dropped, dropped)
				}
			})
		})
	}
}

// broadcastModel models a broadcast as a separate channel for each subscription.
type broadcastModel struct {
	capacity int
	full     FullMode
	subs     []*subModel
	sends    requests
	all      requests
	closed   bool
}

type subModel struct {
	of       *broadcastModel
	unread   []int
	missed   int
	receives requests
	left     bool
}

func (m *broadcastModel) hasSpace() bool {
	return !slices.ContainsFunc(m.subs, func(s *subModel) bool { return len(s.unread) >= m.capacity })
}

func (m *broadcastModel) send(v int) {
	q := m.all.add(v)
	m.sends = append(m.sends, q)
	switch {
	case m.closed:
		q.out = "coord: closed"
	case m.hasSpace():
		m.accept(q)
	case m.full == Reject:
		q.out = "coord: full"
	case m.full == DropNewest:
		q.out = "got {}"
	case m.full == DropOldest:
		for _, s := range m.subs {
			if len(s.unread) == m.capacity {
				s.unread = s.unread[1:]
				s.missed++
			}
		}
		m.accept(q)
	}
	m.transfer()
}

func (m *broadcastModel) accept(q *request) {
	q.out = "got {}"
	for _, s := range m.subs {
		s.unread = append(s.unread, q.arg)
		s.transfer()
	}
}

func (m *broadcastModel) transfer() {
	for _, s := range m.subs {
		s.transfer()
	}
	if w := m.sends.waiting(); len(w) > 0 && m.hasSpace() {
		m.accept(w[0])
		m.transfer()
	}
}

func (s *subModel) transfer() {
	for _, q := range s.receives.waiting() {
		switch {
		case s.left:
			q.out = "coord: closed"
		case s.missed > 0:
			q.out = (&MissedError{Count: uint64(s.missed)}).Error()
			s.missed = 0
		case len(s.unread) > 0:
			q.out = fmt.Sprint("got ", s.unread[0])
			s.unread = s.unread[1:]
		case s.of.closed:
			q.out = "coord: closed"
		}
	}
}

func (m *broadcastModel) close() {
	m.closed = true
	for _, q := range m.sends.waiting() {
		q.out = "coord: closed"
	}
	m.transfer()
}

func (m *broadcastModel) leave(s *subModel) {
	s.left = true
	m.subs = slices.DeleteFunc(m.subs, func(o *subModel) bool { return o == s })
	s.transfer()
	m.transfer()
}

func TestABroadcastDoesWhatItsModelDoes(t *testing.T) {
	for _, full := range []FullMode{WaitForRoom, DropNewest, DropOldest, Reject} {
		t.Run(full.String(), func(t *testing.T) {
			onModels(t, func(r *run) { broadcastRun(r, full) })
		})
	}
}

func broadcastRun(r *run, full FullMode) {
	const capacity = 3
	b := NewBroadcast[int](capacity, full)
	m := &broadcastModel{capacity: capacity, full: full}
	var subs []*Subscription[int]
	var models []*subModel // also those that have left
	for step := range modelSteps {
		switch dice := r.IntN(20); {
		case len(subs) == 0 || dice == 0:
			r.notef("subscribe")
			subs = append(subs, b.Subscribe())
			models = append(models, &subModel{of: m})
			m.subs = append(m.subs, models[len(models)-1])
		case dice < 8:
			r.notef("send %d", step)
			did(r, b.SendAsync(r.ctx(), step))
			m.send(step)
		case dice < 17:
			i := r.IntN(len(subs))
			r.notef("receive at %d", i)
			did(r, subs[i].ReceiveAsync(r.ctx()))
			models[i].receives = append(models[i].receives, m.all.add(0))
			m.transfer()
			models[i].transfer()
			m.transfer()
		case dice < 19:
			r.giveUp(m.all)
		case r.IntN(4) == 0:
			i := r.IntN(len(subs))
			r.notef("leave %d", i)
			subs[i].Close()
			if !models[i].left {
				m.leave(models[i])
			}
		case r.IntN(20) == 0:
			r.notef("close")
			b.Close()
			m.close()
		}
		r.compare(m.all)
		kept := 0
		for i, s := range models {
			if !s.left {
				require.Equal(r.t, len(s.unread), subs[i].Len())
				kept = max(kept, len(s.unread))
			}
		}
		require.Equal(r.t, kept, b.kept.len())
		require.Equal(r.t, len(m.subs), b.Subscriptions())
	}
}
