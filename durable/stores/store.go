package stores

import (
	"context"
	"slices"
	"time"
)

// Status is the state of an instance.
type Status string

// The states of an instance. An instance that is Running, Waiting or Stuck has not ended.
const (
	Running    Status = "running"    // a worker runs it, or is about to
	Waiting    Status = "waiting"    // for a signal, a time, or the next attempt of a step
	Stuck      Status = "stuck"      // cannot continue; Record.Reason says why
	Completed  Status = "completed"  // returned without an error
	Failed     Status = "failed"     // returned an error
	Canceled   Status = "canceled"   // returned an error after it was canceled
	Terminated Status = "terminated" // ended from outside, without compensations
)

// Ended reports whether an instance in this state has ended.
func (s Status) Ended() bool {
	switch s {
	case Completed, Failed, Canceled, Terminated:
		return true
	}
	return false
}

// Record is the data that a store keeps about an instance, apart from its messages.
type Record struct {
	ID       string
	Function string // the name of the durable function
	Run      string // distinguishes instances that have used the same id
	Version  int64  // of the record; the store counts it, from 1
	Status   Status
	Reason   string // Stuck: why
	Step     string // the name of the step to be called next; empty: none
	Labels   map[string]string

	// Layout names the layout of State, and its function. It is opaque to stores, which compare
	// it with those of a Taking. Empty: every worker can load State.
	Layout string

	Created time.Time
	Updated time.Time

	// Owner is the worker that runs the instance; empty: none. Epoch counts the owners.
	Owner string
	Epoch int64

	// Due is when the instance is to run, if it has no owner. Zero: not before a message arrives.
	Due time.Time

	// Seen is the sequence number of the newest message that the writer of the record
	// has read. Messages up to Floor are no longer needed.
	Seen, Floor int64

	// State is the checkpoint, or the outcome of an ended instance. It is opaque to stores.
	State []byte
}

// Message is a signal in the inbox of an instance.
type Message struct {
	Seq     int64  // assigned by the store: grows from 1, per instance
	Name    string // of the signal
	Key     string // a second message with the same key is dropped, unless that is empty
	Payload []byte
	Sent    time.Time
}

// Taking describes the instances that a worker is ready to run.
type Taking struct {
	Now       time.Time
	Hide      time.Duration // how long taken instances stay hidden from other workers
	Functions []string      // the functions that the worker serves
	Steps     []string      // to call; an instance without a Step is for all workers. nil: all
	Layouts   []string      // that it can load; an instance without a Layout is for all. nil: all
	Limit     int
}

// Serves reports whether a worker serves a record's function and step, and can load its layout.
func (t Taking) Serves(r *Record) bool { return t.calls(r) && t.loads(r) }

// Refuses reports whether a worker serves a record's function and step, but cannot load its
// layout.
func (t Taking) Refuses(r *Record) bool { return t.calls(r) && !t.loads(r) }

func (t Taking) calls(r *Record) bool {
	return slices.Contains(t.Functions, r.Function) && (r.Step == "" || t.Steps == nil || slices.Contains(t.Steps, r.Step))
}

func (t Taking) loads(r *Record) bool {
	return r.Layout == "" || t.Layouts == nil || slices.Contains(t.Layouts, r.Layout)
}

// Taken is an instance that a worker has taken.
type Taken struct {
	*Record      // as it was when taken; the caller may change it
	Mail    bool // there may be messages newer than its Floor

	// Lost is how often it has been taken before without a write of its record since then.
	// Usually its takers have died. A store may count less, as far as the count is lost in a
	// crash of the store itself.
	Lost int
}

// Store keeps instances, their messages and the leases of workers. Package durabletest has the
// suite that a store must pass. All methods are safe for concurrent use, and block until their
// writes are durable.
//
// What cannot be read, since somebody has damaged it, harms only its instance: Take and List leave
// it out, and Load returns an error, which matches ErrCorrupt if the store can tell.
//
// An engine tells three kinds of errors apart. After ErrConflict it reads the record again, at
// once. An error that matches ErrUnstorable, ErrTooLarge or ErrCorrupt is final: the same call
// would fail for ever, since the store refuses a text or a size, or cannot read what somebody has
// damaged. It makes the instance stuck, with the error as the reason, so that nobody tries it
// again before it is mended. After any other error the call is made again after a pause, for as
// long as it fails. So a store must not call an error final that may pass: a full disk, a lost
// right, a lost connection.
//
// The engine relies on three guarantees of a store: Swap compares versions; Send keeps the
// message before the instance is due; Swap of a record without an owner makes it due at once if
// there is a message newer than its Seen.
type Store interface {
	// Load returns the record of an instance, or ErrNotFound. The caller may change it.
	Load(ctx context.Context, id string) (*Record, error)

	// Swap writes r if the stored version is r.Version, and sets r.Version to the new one;
	// otherwise it returns ErrConflict. Version 0 creates the record, and conflicts if the id
	// exists. Swap reports whether there are messages newer than r.Seen. A record that has ended
	// or is stuck is due only at its Due. A record that has ended may be swapped for one that has
	// not. ErrTooLarge: the record exceeds the limit of the store.
	Swap(ctx context.Context, r *Record) (mail bool, err error)

	// Send appends a message to an instance's inbox and makes the instance due, unless it has an
	// owner. It does nothing for a message whose key the instance knows, even if it has ended.
	// ErrNotFound: there is no such instance. ErrEnded: it has ended. The messages of an ended
	// instance may be dropped, but not their keys: it may run again, and then its numbers go on.
	Send(ctx context.Context, id string, m Message) error

	// Inbox returns the messages of an instance whose sequence numbers are greater than
	// after, in order.
	Inbox(ctx context.Context, id string, after int64) ([]Message, error)

	// Take returns at most t.Limit due instances, the oldest first. An instance is due if it has
	// no owner and Due is not after t.Now, or if its owner's lease has expired. Only instances of
	// the functions, steps and layouts of t are returned. Take hides them for t.Hide from other
	// calls of Take, but not from Load and Swap; hiding need not survive a crash. It also returns
	// when the next instance will be due, if known; zero: unknown.
	Take(ctx context.Context, t Taking) (due []Taken, next time.Time, err error)

	// Foreign returns how many due instances of the functions and steps of t have a layout that t
	// does not have. It counts up to t.Limit.
	Foreign(ctx context.Context, t Taking) (int, error)

	// Lease says that a worker lives until the given time. A time in the past releases the
	// instances that the worker owns.
	Lease(ctx context.Context, worker string, until time.Time) error

	// Leased returns until when a worker lives; zero: unknown.
	Leased(ctx context.Context, worker string) (until time.Time, err error)

	// List returns the records that match, at most f.Most(), in the order of ids. With f.Bare they
	// have no State.
	List(ctx context.Context, f Filter) ([]*Record, error)

	// Delete deletes an instance, with its messages and their keys, if its stored version is the
	// given one; otherwise it returns ErrConflict, or ErrNotFound if there is no such instance.
	// The engine deletes only what has ended.
	Delete(ctx context.Context, id string, version int64) error

	// Purge deletes at most limit instances that ended before the given time, with their
	// messages, and returns how many it deleted. It also forgets workers that own nothing and
	// whose lease ended before that time.
	Purge(ctx context.Context, before time.Time, limit int) (int, error)
}

// Notifier is a Store that notifies an engine when an instance may have become due or have ended.
// Without it, an engine polls.
type Notifier interface {
	// Notify calls f after each change that may make an instance due, or end it, until stop is
	// called. A Swap that leaves the record with an owner needs no call. f does not block.
	Notify(f func()) (stop func())
}
