package durable

import (
	"context"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// # The inbox of a run
//
// A run reads a message once, and keeps it until it is received. Otherwise a function that
// receives a thousand signals would read half a million. An instance that waits is woken by each
// message, also by one that it does not wait for. So the checkpoint of a wait records up to which
// message the inbox has been checked, and only later ones are read first.

// mailbox is what a run knows of its inbox.
type mailbox struct {
	list  []stores.Message // read and not received, in order
	whole bool             // list begins at the floor, and not behind the messages that were checked before
	read  int64            // the newest message that was read
	asked time.Time        // when the store was asked last; zero: before the last write
}

// askAgain is the time after which a run that has messages asks for more, since one of them may be
// a cancellation.
const askAgain = 50 * time.Millisecond

// inbox returns the messages that have not been received, and records the newest as seen.
func (r *run) inbox() ([]stores.Message, error) {
	after := r.mail.read
	if !r.mail.whole {
		after = r.record.Floor
	}
	list, err := r.messages(after)
	if err != nil {
		return nil, err
	}
	if !r.mail.whole {
		r.mail.list, r.mail.whole = nil, true
	}
	return r.addMail(list, after), nil
}

// inboxAfter returns only the messages later than one that has been checked before. It records the
// newest as seen.
func (r *run) inboxAfter(checked int64) ([]stores.Message, error) {
	after := max(checked, r.record.Floor, r.mail.read)
	list, err := r.messages(after)
	if err != nil {
		return nil, err
	}
	return r.addMail(list, after), nil
}

// addMail adds messages that have been read, and returns those that have not been received.
func (r *run) addMail(list []stores.Message, after int64) []stores.Message {
	r.mail.read, r.mail.asked = max(r.mail.read, after), r.e.now()
	for _, m := range list {
		r.mail.read = max(r.mail.read, m.Seq)
		if _, received := slices.BinarySearch(r.doc.Taken, m.Seq); !received {
			r.mail.list = append(r.mail.list, m)
		}
	}
	r.record.Seen = max(r.record.Seen, r.mail.read)
	return r.mail.list
}

// receive marks a message as received. Messages older than the oldest unreceived one are
// forgotten.
func (r *run) receive(m stores.Message) {
	r.doc.Aside = slices.DeleteFunc(r.doc.Aside, func(a Aside) bool { return a.Seq == m.Seq })
	if i := slices.IndexFunc(r.mail.list, func(other stores.Message) bool { return other.Seq == m.Seq }); i == 0 {
		r.mail.list = r.mail.list[1:]
	} else if i > 0 {
		r.mail.list = slices.Concat(r.mail.list[:i], r.mail.list[i+1:]) // a caller ranges over the old list
	}
	if i, received := slices.BinarySearch(r.doc.Taken, m.Seq); !received {
		r.doc.Taken = slices.Insert(r.doc.Taken, i, m.Seq)
	}
	n := 0
	for n < len(r.doc.Taken) && r.doc.Taken[n] <= r.record.Floor+1 {
		r.record.Floor = max(r.record.Floor, r.doc.Taken[n])
		n++
	}
	r.doc.Taken = slices.Delete(r.doc.Taken, 0, n)
}

// readInbox records a cancellation if there is one, and returns the messages that have not been
// received.
func (r *run) readInbox() ([]stores.Message, error) {
	list, err := r.inbox()
	return r.findCancel(list), err
}

// readInboxFor returns messages among which are those for which the document waits that have not
// been received. It records a cancellation.
func (r *run) readInboxFor() ([]stores.Message, error) {
	if !r.mail.whole && r.doc.Checked > 0 && !r.triesAside() {
		list, err := r.inboxAfter(r.doc.Checked)
		return r.findCancel(list), err
	}
	if r.mail.whole && r.e.now().Sub(r.mail.asked) < askAgain && context.Cause(r.ctx) != ErrCanceled &&
		slices.ContainsFunc(r.mail.list, func(m stores.Message) bool { return r.doc.wants(m.Name) && !r.isAside(m) }) {
		return r.mail.list, nil
	}
	return r.readInbox()
}

// findCancel receives cancellations, and returns the other messages.
func (r *run) findCancel(list []stores.Message) []stores.Message {
	for i := range list {
		if list[i].Name == cancelSignal {
			r.receive(list[i])
			r.doc.Canceled = true
			return r.findCancel(r.mail.list)
		}
	}
	return list
}
