package pool

// slots holds the workers' slots, by ID. Pool.mu guards it. The lowest free slot is taken
// first, so that slots made during many stalls become free at the end of the list and can
// be dropped. That matters because a stealing worker checks every slot.
type slots struct {
	all    []*worker // all[i].id == i+1
	lowest int       // no free slot has a lower index

	// Counters of the workers of dropped slots.
	accepted, completed, panicked, stolen uint64
}

func (s *slots) take(p *Pool) *worker {
	for ; s.lowest < len(s.all); s.lowest++ {
		if w := s.all[s.lowest]; !w.live {
			return w
		}
	}
	w := newWorker(p, len(s.all)+1)
	s.all = append(s.all, w)
	return w
}

// release frees the slot of w, and drops the free slots at the end of the list, except
// those that the pool always keeps.
func (s *slots) release(p *Pool, w *worker) {
	s.lowest = min(s.lowest, w.id-1)
	for n := len(s.all); n > p.min && !s.all[n-1].live; n-- {
		last := s.all[n-1]
		s.accepted += last.accepted + last.loop.Repeated()
		s.completed += last.countCompleted() // final: its queue is closed and empty
		s.panicked += last.loop.Panicked()
		s.stolen += last.stolen
		s.all[n-1] = nil
		s.all = s.all[:n-1]
	}
}
