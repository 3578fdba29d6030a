package durable

import (
	"slices"
)

// inbox returns the messages that have not been received, and records the newest as seen.
func (r *run) inbox() ([]Message, error) {
	list, err := r.messages()
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		r.record.Seen = max(r.record.Seen, m.Seq)
	}
	return slices.DeleteFunc(list, func(m Message) bool { return slices.Contains(r.doc.Taken, m.Seq) }), nil
}

// receive marks a message as received. Messages older than the oldest unreceived one are
// forgotten.
func (r *run) receive(m Message) {
	r.doc.Taken = append(r.doc.Taken, m.Seq)
	for {
		i := slices.Index(r.doc.Taken, r.record.Floor+1)
		if i < 0 {
			return
		}
		r.doc.Taken = slices.Delete(r.doc.Taken, i, i+1)
		r.record.Floor++
	}
}

// readInbox records a cancellation if there is one, and returns the messages that have not been
// received.
func (r *run) readInbox() ([]Message, error) {
	list, err := r.inbox()
	for _, m := range list {
		if m.Name == cancelSignal {
			r.receive(m)
			r.doc.Canceled = true
		}
	}
	return list, err
}
