package main

// state is all that the worker and the submitter share, and where each of them is.
type state struct {
	queued   int  // how much work is in the queue
	sleeping bool // the worker's word: whoever submits has to wake me
	parked   bool // the worker is asleep
	woken    bool // somebody has woken it; a wake-up that comes first is kept

	worker, submitter int // the number of the next step, or ended
}

const ended = -1

// step is one atomic step of a protocol. It changes the state and returns the number of the next step.
type step func(s *state) (next int)

// protocol is what the two do.
type protocol struct{ worker, submitter []step }

// explore runs the protocol in each order that there is, and returns the number of orders and one that loses the work, if one does: the
// worker sleeps, nobody will wake it, and there is something in the queue.
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

// move takes one step of the worker (W) or the submitter (S), if that one can take one.
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
