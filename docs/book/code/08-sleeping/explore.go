package main

// state is everything that the worker and the submitter share, and the current step of each.
type state struct {
	queued   int  // work items in the queue
	sleeping bool // the worker says: wake me after a submission
	parked   bool // the worker is asleep
	woken    bool // the worker was woken; an early wake-up is kept

	worker, submitter int // the number of the next step, or ended
}

const ended = -1

// step is one atomic step of a protocol. It changes the state and returns the number of
// the next step.
type step func(s *state) (next int)

// protocol is the steps of both.
type protocol struct{ worker, submitter []step }

// explore runs the protocol in every order. It returns the number of orders, and
// one that loses the work, if there is one: the worker sleeps, no wake-up will
// come, and the queue is not empty.
func explore(p protocol, s state, order string) (orders int, lost string) {
	moved := false
	for _, who := range []byte("WS") {
		after, ok := p.move(s, who)
		if !ok {
			continue
		}
		moved = true
		n, l := explore(p, after, order+string(who))
		orders += n
		if lost == "" {
			lost = l
		}
	}
	if moved {
		return orders, lost
	}
	if s.parked && s.queued > 0 {
		return 1, order
	}
	return 1, ""
}

// move takes one step of the worker (W) or the submitter (S), if it has one to take.
func (p protocol) move(s state, who byte) (after state, ok bool) {
	steps, at := p.worker, &s.worker
	if who == 'S' {
		steps, at = p.submitter, &s.submitter
	}
	if *at == ended || who == 'W' && s.parked && !s.woken {
		return s, false
	}
	if who == 'W' && s.parked {
		s.parked, s.woken, s.worker = false, false, 0
		return s, true
	}
	*at = steps[*at](&s)
	return s, true
}
