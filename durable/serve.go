package durable

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"time"

	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// Served is a durable function that an engine runs.
type Served[Req, Res any] struct {
	e    *Engine
	name string
	f    *definition
	err  error
}

// Serve makes an engine run a function. The engine calls the function's methods on receiver,
// which it passes in whenever it loads an instance. Serve each function once: after a second
// Serve of the same name, or Serve of a function that cannot be saved, the methods of the result
// return an error. It does not block. (It is a function because Go's methods have no type
// parameters.)
func Serve[S, Req, Res any](e *Engine, f Function[S, Req, Res], receiver S) *Served[Req, Res] {
	d := newDefinition(f, receiver)
	s := &Served[Req, Res]{e: e, name: f.Name, f: d}
	switch {
	case f.Name == "" || f.New == nil || len(f.Points) == 0:
		s.err = errors.New("durable: a function needs a name, points and New")
	default:
		s.err = errors.Join(d.addMigrations(f.Migrations), d.numberPoints(), d.checkTexts())
	}
	if s.err != nil {
		return s
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.functions[f.Name] != nil {
		s.err = fmt.Errorf("durable: %s is served already", f.Name)
		return s
	}
	e.functions[f.Name] = d
	e.wakeDispatcher()
	return s
}

// newDefinition returns the description of a function without its types.
func newDefinition[S, Req, Res any](f Function[S, Req, Res], receiver S) *definition {
	return &definition{
		name: f.Name, layout: f.Layout, resumes: f.Resumes, points: f.Points,
		migrations: map[string]Migration{}, number: map[string]int{returnPoint: gen.Returning},
		checks: map[string]func(*Instance, []byte) error{},
		make: func(raw json.RawMessage) (gen.Frame, error) {
			var request Req
			if raw != nil {
				if err := decodeAlone(raw, reflect.ValueOf(&request).Elem()); err != nil {
					return nil, err
				}
			}
			return f.New(receiver, request), nil
		},
	}
}

// numberPoints numbers the points. It checks that their names differ and that their values can be
// saved.
func (f *definition) numberPoints() (err error) {
	defer recoverTo(&err)
	frame, err := f.make(nil)
	if err != nil {
		return err
	}
	for i, p := range f.points {
		if _, twice := f.number[p.Name]; twice || p.Name == "" {
			return fmt.Errorf("durable: %s has two points %q, or one without a name", f.name, p.Name)
		}
		f.number[p.Name] = i
		if err := checkSavable(frame.Live(i)); err != nil {
			return fmt.Errorf("%w (point %s of %s)", err, p.Name, f.name)
		}
	}
	return checkSavable(frame.Live(gen.Returning))
}

// checkSavable returns an error about the first variable whose type can never be saved.
func checkSavable(live []gen.Value) error {
	for _, v := range live {
		t := reflect.TypeOf(v.Ptr)
		if t == nil || t.Kind() != reflect.Pointer {
			return fmt.Errorf("durable: %s: the frame has to name a pointer to it", v.Name)
		}
		if err := checkSavableType(t.Elem(), v.Name, map[reflect.Type]bool{}); err != nil {
			return err
		}
	}
	return nil
}

// checkSavableType checks all types of which a type consists.
func checkSavableType(t reflect.Type, path string, seen map[reflect.Type]bool) error {
	if why := inexact(t); why != "" {
		return errUnsavable(path, t, why)
	}
	if seen[t] || ownForm(t) {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr:
		return errUnsavable(path, t, "it means nothing in another process")
	case reflect.Interface:
		if !isError(t) {
			return errUnsavable(path, t, "what an interface holds is not known when it is loaded; error is the only one that is saved")
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return checkSavableType(t.Elem(), path, seen)
	case reflect.Map:
		return errors.Join(checkSavableType(t.Key(), path, seen), checkSavableType(t.Elem(), path, seen))
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name == "_" {
				continue
			}
			if !f.IsExported() {
				return errUnsavable(path+"."+f.Name, f.Type, "the field is not exported, and the struct does not marshal itself")
			}
			if err := checkSavableType(f.Type, path+"."+f.Name, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// StartOption is an option of [Served.Start].
type StartOption func(*starting)

// starting is what options say about a start.
type starting struct {
	labels  map[string]string
	signals []stores.Message // first ones
	err     error            // of a signal that cannot be saved
}

func newStarting(opts []StartOption) *starting {
	s := &starting{}
	for _, opt := range opts {
		opt(s)
	}
	for _, m := range s.signals {
		s.err = errors.Join(s.err, checkSignal(m))
	}
	s.err = errors.Join(s.err, checkLabels(s.labels))
	return s
}

// Labels gives an instance labels, by which a [Filter] selects instances: see [MaxText].
func Labels(labels map[string]string) StartOption {
	return func(s *starting) { s.labels = maps.Clone(labels) }
}

// WithSignal sends a signal to the instance that is started, also if it exists with the same
// request. A new instance does not run before the signal is there, or its sender has died. So a
// caller that gets no answer repeats the call, and with a [SignalKey] the signal is received once.
// The error is ErrEnded if the instance has ended, and does not know the key. Several signals
// arrive in their order. [Call] does not take this option.
func WithSignal(name string, value any, opts ...SignalOption) StartOption {
	m, err := newSignal(name, value, opts)
	return func(s *starting) { s.signals, s.err = append(s.signals, m), errors.Join(s.err, err) }
}

// Start starts an instance with that id, and returns when it is durable, not when it ends. If
// the instance exists with the same request, Start returns a handle to it, even if it has
// ended. If it has another request, or is of another function, the error is [ErrOther]. Two
// requests are the same if they are equal in the present type; fields that it has gained are
// zero in the older one, nil is the same as empty, and -0 the same as 0. After Shutdown the
// error is [ErrShutdown]. It matches [ErrUnstorable] for an id or labels that break the rules of
// [MaxText], and [ErrTooLarge] for a request that is too large. Other errors say that the request
// cannot be saved, or are those of the store.
func (s *Served[Req, Res]) Start(ctx context.Context, id string, request Req, opts ...StartOption) (Handle[Res], error) {
	h, doc, err := s.begin(id, request)
	if err != nil {
		return h, err
	}
	return h, s.e.start(nilctx.Background(ctx), id, s.name, doc, newStarting(opts))
}

// begin returns a handle to a new instance, and its document.
func (s *Served[Req, Res]) begin(id string, request Req) (Handle[Res], *checkpoint, error) {
	h := Handle[Res]{e: s.e, id: id}
	if s.err != nil {
		return h, nil, s.err
	}
	if id == "" {
		return h, nil, errors.New("durable: an instance needs an id")
	}
	if s.e.isDraining() {
		return h, nil, ErrShutdown
	}
	raw, err := encodeAlone(reflect.ValueOf(&request).Elem())
	if err != nil {
		return h, nil, err
	}
	doc, err := s.f.firstCheckpoint(raw, reflect.ValueOf(&request).Elem())
	return h, doc, err
}

// firstCheckpoint returns the document of a new instance, from its request and that as a document.
func (f *definition) firstCheckpoint(request []byte, value reflect.Value) (*checkpoint, error) {
	same, err := sameness(value)
	if err != nil {
		return nil, err
	}
	frame, err := f.make(request)
	if err != nil {
		return nil, err
	}
	doc := &checkpoint{Layout: f.layout, Point: f.points[0].Name, At: f.points[0].At, Asked: hashOf(same)}
	return doc, doc.capture(frame, 0, nil)
}

// start creates an instance unless it exists, and sends its first signals.
func (e *Engine) start(ctx context.Context, id, name string, doc *checkpoint, s *starting) error {
	due := e.now()
	if len(s.signals) > 0 {
		due = due.Add(e.lease) // a signal makes it due; this is for the case that this process dies before
	}
	created, err := e.create(ctx, e.store, due, id, name, doc, s)
	if created {
		e.counts.started.Add(1)
		e.emit(Event{Kind: Started, ID: id, Function: name, Point: doc.Point})
	}
	for _, m := range s.signals {
		if err == nil {
			err = e.store.Send(ctx, id, m)
		}
	}
	e.wakeDispatcher()
	return err
}

// create creates an instance, and reports that it did, or checks that it exists.
func (e *Engine) create(ctx context.Context, store stores.Enlisted, due time.Time, id, name string, doc *checkpoint, s *starting) (created bool, err error) {
	if err := errors.Join(checkText("id", id), s.err); err != nil {
		return false, err
	}
	now := e.now()
	r := &stores.Record{ID: id, Function: name, Run: rand.Text(), Status: Running, Labels: s.labels, Created: now, Updated: now, Due: due}
	for i := range s.signals {
		s.signals[i].Sent = now
	}
	r.Layout = layoutKey(name, doc.Layout)
	err = doc.fit(func() error {
		if r.State, err = seal(doc); err != nil {
			return err
		}
		_, err := store.Swap(ctx, r)
		return err
	})
	if errors.Is(err, ErrConflict) {
		return false, checkSame(ctx, store, id, name, doc)
	}
	return err == nil, err
}

// checkSame returns nil if an instance is of this function and was started with this request, or
// is the same rerun.
func checkSame(ctx context.Context, store stores.Enlisted, id, name string, begin *checkpoint) error {
	r, err := store.Load(ctx, id)
	if err != nil {
		return err
	}
	if r.Function != name {
		return fmt.Errorf("%w: %s is an instance of %s", ErrOther, id, r.Function)
	}
	doc, err := open(r.State)
	if err != nil {
		return err
	}
	if doc.Asked != begin.Asked {
		return fmt.Errorf("%w: %s was started with another request", ErrOther, id)
	}
	if len(begin.Resets) > 0 && !doc.isRerunAs(begin.Resets[0]) {
		return fmt.Errorf("%w: %s is not that rerun", ErrOther, id)
	}
	return nil
}

// Handle returns a handle to an instance, which need not exist.
func (s *Served[Req, Res]) Handle(id string) Handle[Res] { return Handle[Res]{e: s.e, id: id} }

// Handle refers to an instance whose result is an R. It is a value that may be copied.
type Handle[R any] struct {
	e  *Engine
	id string
}

// ID is the id of the instance.
func (h Handle[R]) ID() string { return h.id }

// Wait blocks until the instance has ended, in whatever process, and returns the function's
// result. The error is the function's, reduced as a step's is, or [ErrTerminated]. An instance
// that is stuck has not ended. Wait fails with the cause of ctx, ErrNotFound or ErrShutdown.
func (h Handle[R]) Wait(ctx context.Context) (R, error) {
	var result R
	if h.e == nil {
		return result, ErrNotFound
	}
	r, err := h.e.awaitEnd(nilctx.Background(ctx), h.id)
	if err != nil {
		return result, err
	}
	if r.Status == Terminated {
		return result, ErrTerminated
	}
	doc, err := open(r.State)
	if err != nil {
		return result, err
	}
	var failure error
	if f := h.e.function(r.Function); f != nil {
		if doc.Result, err = f.readResult(doc.Result, doc.Layout, doc.Reads); err != nil {
			return result, fmt.Errorf("durable: the result of %s cannot be read: %w", h.id, err)
		}
	}
	if err := decodeAlone(doc.Result, reflect.ValueOf(&result).Elem()); err != nil {
		return result, fmt.Errorf("durable: the result of %s cannot be loaded: %w", h.id, err)
	}
	if err := decodeAlone(doc.Err, reflect.ValueOf(&failure).Elem()); err != nil {
		return result, fmt.Errorf("durable: the error of %s cannot be loaded: %w", h.id, err)
	}
	return result, failure
}

// Signal is [Engine.Signal] for the instance.
func (h Handle[R]) Signal(ctx context.Context, name string, value any, opts ...SignalOption) error {
	if h.e == nil {
		return ErrNotFound
	}
	return h.e.Signal(ctx, h.id, name, value, opts...)
}

// Cancel is [Engine.Cancel] for the instance.
func (h Handle[R]) Cancel(ctx context.Context) error {
	if h.e == nil {
		return ErrNotFound
	}
	return h.e.Cancel(ctx, h.id)
}
