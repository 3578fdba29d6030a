package durable

// wait checks whether the event that a Receive or Sleep waits for has happened. If so, the
// function continues without a write; otherwise wait saves the checkpoint and releases the
// instance.
func (r *run) wait(loaded bool) (more bool, err error) {
	list, err := r.readInbox()
	if err != nil {
		return false, err
	}
	if r.doc.Canceled {
		r.turn = &Turn{err: ErrCanceled}
		return true, nil
	}
	check := r.updateCheck()
	if check != nil && !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
		loaded = true // the check sees the values
	}
	for _, m := range list {
		if m.Name == r.doc.Signal && r.doc.Signal != "" && !r.refuseUpdate(m, check) {
			r.receive(m)
			r.turn = &Turn{got: m.Payload}
			return true, nil
		}
	}
	if !r.doc.Until.IsZero() && !r.e.now().Before(r.doc.Until) {
		r.turn = &Turn{}
		if r.doc.Signal != "" {
			r.turn.err = ErrTimeout
		}
		return true, nil
	}
	if !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
	}
	_, _, err = r.saveOrStick(Waiting, "", r.doc.Until)
	return false, err
}
