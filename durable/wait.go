package durable

import (
	"slices"

	"github.com/movenext/movenext/durable/stores"
)

// wait checks whether the event that a Receive or Sleep waits for has happened. If so, the
// function continues, usually without a write; otherwise wait saves the checkpoint and releases
// the instance.
func (r *run) wait(loaded bool) (more bool, err error) {
	list, err := r.readInboxFor()
	if err != nil {
		return false, err
	}
	if r.doc.Canceled {
		return r.endWait(loaded, stores.Message{}, ErrCanceled)
	}
	saved := loaded
	if r.hasUpdateCheck() && !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
		loaded = true // the check sees the values
	}
	late := r.isLate()
	for _, m := range list {
		switch {
		case !r.doc.wants(m.Name) || r.isAside(m):
		case saved && !r.doc.Until.IsZero() && m.Sent.After(r.doc.Until): // whoever looks first, and whatever its clock says
		case !r.refuseUpdate(m, r.updateCheck(m.Name)):
			return r.endWait(loaded, m, nil)
		}
	}
	if late {
		var failure error
		if r.doc.Signal != "" || len(r.doc.Signals) > 0 {
			failure = ErrTimeout
		}
		return r.endWait(loaded, stores.Message{}, failure)
	}
	if !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
	}
	r.doc.Crashes, r.doc.Checked = 0, r.mail.read
	if len(r.doc.Aside) >= maxAside { // not all that are put aside are listed
		r.doc.Checked = 0
	}
	_, _, err = r.saveOrStick(Waiting, "", r.nextLook(r.doc.Until))
	return false, err
}

// endWait continues the function with a message, or with an error.
func (r *run) endWait(captured bool, m stores.Message, failure error) (more bool, err error) {
	// Once for each wait: the inbox of a slow store takes longer to read than the time after which
	// a run looks.
	if !r.looked && r.mustLook() {
		if over, err := r.look(captured); over || err != nil {
			return false, err
		}
		r.looked = true
		return r.wait(true) // there may be mail
	}
	r.looked = false
	if m.Name != "" {
		r.delivered, r.before = m, undelivered{r.mail.list, slices.Clone(r.doc.Taken), r.record.Floor}
		r.receive(m)
	}
	r.turn = &turn{got: m.Payload, err: failure, chosen: Selection{m.Name, -1, m.Payload}}
	return true, nil
}
