package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// SignalOption is an option of [Engine.Signal].
type SignalOption func(*stores.Message)

// SignalKey makes a signal idempotent: a second signal with the same key is dropped. Keys do not
// begin with a dollar sign.
func SignalKey(key string) SignalOption { return func(m *stores.Message) { m.Key = key } }

// Signal sends a value to an instance, which gets it from a [Receive] of that name, now or later.
// It returns when the signal is durable. The error is ErrNotFound or ErrEnded if no instance can
// receive the signal. The value must be one that can be saved. The name and the key obey the rules
// of [MaxText], and do not begin with a dollar sign.
func (e *Engine) Signal(ctx context.Context, id, name string, value any, opts ...SignalOption) error {
	m, err := newSignal(name, value, opts)
	if err != nil {
		return err
	}
	m.Sent = e.now()
	return e.signal(nilctx.Background(ctx), id, m)
}

// newSignal returns the message of a signal.
func newSignal(name string, value any, opts []SignalOption) (m stores.Message, err error) {
	m.Name = name
	for _, opt := range opts {
		opt(&m)
	}
	m.Payload, err = encodePayload(value)
	return m, err
}

// signal sends a message whose name and key come from a user, and checks them.
func (e *Engine) signal(ctx context.Context, id string, m stores.Message) error {
	if err := checkSignal(m); err != nil {
		return err
	}
	return e.send(ctx, id, m)
}

// checkID returns ErrNotFound for an id that breaks the rules of MaxText: no instance has it.
func checkID(id string) error {
	if err := checkText("id", id); err != nil {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return nil
}

func (e *Engine) send(ctx context.Context, id string, m stores.Message) error {
	if err := checkID(id); err != nil {
		return err
	}
	if err := e.store.Send(ctx, id, m); err != nil {
		return err
	}
	e.wakeDispatcher()
	return nil
}

// Cancel asks an instance to end. From then on its Receive, Sleep and steps return [ErrCanceled];
// the context of a step that runs in this process is canceled; and the function's deferred
// compensations run when it returns that error. Cancel does not wait for that. The errors are
// those of [Engine.Signal].
func (e *Engine) Cancel(ctx context.Context, id string) error {
	// Without a key: an instance that runs again can be canceled again.
	err := e.send(nilctx.Background(ctx), id, stores.Message{Name: cancelSignal, Payload: []byte("null"), Sent: e.now()})
	e.mu.Lock()
	here := e.running[id]
	e.mu.Unlock()
	if here != nil && err == nil {
		here.cancel(ErrCanceled)
	}
	return err
}

// load reads a record.
func (e *Engine) load(ctx context.Context, id string) (*stores.Record, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	return e.store.Load(ctx, id)
}

// maxTries limits the attempts to change a record that other writers change at the same time.
const maxTries = 100

// change applies edit to a record and swaps it in. It tries again if another writer was faster.
func (e *Engine) change(ctx context.Context, id string, edit func(*stores.Record) error) error {
	for range maxTries {
		r, err := e.load(ctx, id)
		if err != nil {
			return err
		}
		if err := edit(r); err != nil {
			return err
		}
		r.Updated = e.now()
		if _, err = e.store.Swap(ctx, r); !errors.Is(err, ErrConflict) {
			e.wakeDispatcher()
			e.wakeHandles(id)
			return err
		}
	}
	return ErrConflict
}

// TerminateOption is an option of [Engine.Terminate].
type TerminateOption func(*checkpoint)

// CancelChildren cancels the children of an instance that is terminated, so that their
// compensations run.
func CancelChildren() TerminateOption {
	return func(doc *checkpoint) { doc.Orphans = orphansCanceled }
}

// AbandonChildren lets the children of an instance that is terminated go on. Their results are
// dropped.
func AbandonChildren() TerminateOption {
	return func(doc *checkpoint) { doc.Orphans = orphansAbandoned }
}

// Terminate ends an instance at once, without compensations: the effects of its steps remain. A
// running step is not stopped, but its result is dropped. The children that the instance waits for
// are terminated too, by a worker that serves its function, unless an option says otherwise.
// Terminate does not wait for that. The error is ErrNotFound, ErrEnded, that of the store, or
// ErrConflict if other writers were faster a hundred times.
func (e *Engine) Terminate(ctx context.Context, id string, opts ...TerminateOption) error {
	return e.change(nilctx.Background(ctx), id, func(r *stores.Record) error {
		if r.Status.Ended() {
			return ErrEnded
		}
		r.Status, r.Reason, r.Step, r.Layout, r.Owner, r.Due = Terminated, "", "", "", "", time.Time{}
		doc, err := open(r.State)
		if err != nil || doc.Parent == "" && doc.Join == nil {
			return nil //nolint:nilerr // what cannot be read can be ended
		}
		for _, opt := range opts {
			opt(doc)
		}
		r.Due = e.now() // a worker ends the children, and notifies the parent
		r.State, err = seal(doc)
		return err
	})
}

// Resume makes a stuck instance continue from its last checkpoint; call it once the reason is
// gone. It does nothing for an instance that is not stuck. The errors are those of
// [Engine.Terminate].
func (e *Engine) Resume(ctx context.Context, id string) error {
	errFine := errors.New("not stuck")
	err := e.change(nilctx.Background(ctx), id, func(r *stores.Record) error {
		switch {
		case r.Status.Ended():
			return ErrEnded
		case r.Status != Stuck:
			return errFine
		}
		makeDue(r, e.now())
		if doc, err := open(r.State); err == nil && doc.Crashes > 0 {
			doc.Crashes = 0
			r.State, err = seal(doc)
			return err
		}
		return nil
	})
	if errors.Is(err, errFine) {
		return nil
	}
	return err
}

// Instance describes an instance: where it is suspended, and with which values.
type Instance struct {
	ID, Function string
	Status       Status
	Reason       string // Stuck: why
	Labels       map[string]string
	Worker       string // the worker that runs it; empty: none
	Created      time.Time
	Updated      time.Time

	Point   string    // where it was last saved
	At      string    // file:line of the point, at the time of saving
	Step    string    // the step that runs there; empty: the point waits
	Attempt int       // of the step
	Signal  string    // the signal that it waits for; of a Select: all, with commas
	Until   time.Time // when it stops waiting; zero: never

	// Locals are the values saved there, by name, as JSON, in the form of the version that has
	// saved them. Deferred are the compensations that
	// would run, the next one last. Resets are the effects of [Engine.Reset] and [Engine.Rerun],
	// the latest last.
	Locals   map[string]json.RawMessage
	Deferred []string
	Resets   []Reset

	// Aside are the signals that could not be read: see [Strict].
	Aside []Aside

	// Children are the ids of the instances that this one waits for. Parent is the id of the
	// instance that waits for this one. Empty: none.
	Children []string
	Parent   string

	values func() (*checkpoint, error) // of Value; nil: there are none
}

// Get describes an instance. The error is ErrNotFound, or says that the instance cannot be read.
func (e *Engine) Get(ctx context.Context, id string) (*Instance, error) {
	r, err := e.load(nilctx.Background(ctx), id)
	if err != nil {
		return nil, err
	}
	return e.describe(r), nil
}

// describe reads a record. The description of a damaged record has no point and no locals.
func (e *Engine) describe(r *stores.Record) *Instance {
	doc, err := open(r.State)
	i := describeAs(r, doc)
	if err == nil {
		i.values = sync.OnceValues(func() (*checkpoint, error) { return e.present(r) })
	}
	if err != nil && i.Reason == "" {
		i.Reason = err.Error()
	}
	return i
}

// describeAs describes an instance whose checkpoint is doc, or nil if it has none.
func describeAs(r *stores.Record, doc *checkpoint) *Instance {
	i := &Instance{
		ID: r.ID, Function: r.Function, Status: r.Status, Reason: r.Reason, Labels: r.Labels,
		Worker: r.Owner, Created: r.Created, Updated: r.Updated,
	}
	if doc == nil {
		return i
	}
	i.Resets, i.Parent, i.Aside = doc.Resets, doc.Parent, doc.Aside
	if doc.Join != nil {
		for _, c := range doc.Join.Children {
			i.Children = append(i.Children, c.ID)
		}
	}
	i.Point, i.At, i.Step, i.Attempt, i.Signal, i.Until = doc.Point, doc.At, doc.Step, doc.Attempt, doc.Signal, doc.Until
	if len(doc.Signals) > 0 {
		i.Signal = strings.Join(doc.Signals, ", ")
	}
	i.Locals = doc.locals()
	for _, d := range doc.Deferred {
		i.Deferred = append(i.Deferred, d.Step)
	}
	return i
}

// locals returns the values of a document, by name.
func (doc *checkpoint) locals() map[string]json.RawMessage {
	locals := map[string]json.RawMessage{}
	for name, v := range doc.Values {
		locals[name] = asJSON(v)
	}
	if len(doc.Objects) > 0 {
		locals["$objects"] = asJSON(doc.Objects)
	}
	return locals
}

// asJSON encodes a value that was read from JSON.
func asJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}
