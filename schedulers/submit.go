package schedulers

import "fmt"

// TrySubmit is s.Submit(w, from) for callers that must not be torn down by a
// scheduler: those that complete something, and have more to tell than this one
// work. A nil scheduler refuses with [ErrRejected], and so does one
// that panics; the panic's value is part of the message.
func TrySubmit(s Scheduler, w Work, from Hint) (err error) {
	if s == nil {
		return fmt.Errorf("schedulers: no scheduler: %w", ErrRejected)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("schedulers: Submit panicked: %v: %w", v, ErrRejected)
		}
	}()
	return s.Submit(w, from)
}
