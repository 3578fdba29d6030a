package durable

import "time"

// # Runs that never wait
//
// A function can pass point after point without a write: it receives with a timeout of zero,
// sleeps for no time, or ignores that it is canceled. Such a run would not learn of signals, of a
// cancellation or a termination, or that its engine shuts down. So it looks at its record from
// time to time: it saves the point at which it is. The write conflicts if the instance has been
// terminated, and says whether there is mail.

// A run looks at its record after this many points, or this time, without a write. The points
// bound it where time stands still while a function runs, as in a simulation.
const (
	lookPoints = 1000
	lookTime   = 100 * time.Millisecond
)

// mustLook counts a point that the function leaves without a write, and reports whether it has to
// be saved first.
func (r *run) mustLook() bool {
	r.passed++
	return r.passed >= lookPoints || r.e.isDraining() || r.e.now().Sub(r.wrote) >= lookTime
}

// look saves the point. It reports whether the run ends here: another worker continues if this
// engine shuts down, and nobody if the instance is stuck now.
func (r *run) look(captured bool) (over bool, err error) {
	if !captured {
		if ok, err := r.captureOrStick(); !ok {
			return true, err
		}
	}
	owner, due := r.e.worker, time.Time{}
	if r.e.isDraining() {
		owner, due = "", r.e.now()
	}
	_, ok, err := r.saveOrStick(Running, owner, due)
	return !ok || owner == "", err
}

// decided continues the function at a point whose outcome is known without a wait.
func (r *run) decided(failure error) (more bool, err error) {
	if r.mustLook() {
		r.doc.Join, r.doc.Signal, r.doc.Until = nil, "", r.e.now()
		if failure != nil {
			if r.doc.Fails, err = outcome(&failure); err != nil {
				return false, r.stickAtLast(err)
			}
		}
		if over, err := r.look(false); over || err != nil {
			return false, err
		}
		r.doc.Fails = nil
	}
	r.turn = &turn{err: failure}
	return true, nil
}

// resumeDecided continues at a point that decided has saved with an error.
func (r *run) resumeDecided() (more bool, err error) {
	var failure error
	if err := decodeAlone(r.doc.Fails, valueOf(&failure)); err != nil {
		return false, r.stick(err)
	}
	r.doc.Fails, r.turn = nil, &turn{err: failure}
	return true, nil
}
