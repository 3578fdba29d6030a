package durable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// cancelSignal is the name of the message that cancels an instance.
const cancelSignal = "$cancel"

// returnPoint is the name under which Returning is saved.
const returnPoint = "return"

// run is one instance while this engine runs it: from a wake-up to its next wait or its end. One
// goroutine owns all of it.
type run struct {
	e            *Engine
	f            *definition
	ctx          context.Context // of the function; ends when the instance is canceled here
	record       *stores.Record
	doc          *checkpoint
	frame        gen.Frame
	point        int
	turn         *turn // the outcome of the operation at the point
	deferred     []deferredCall
	last         *trailPoint        // the point that was saved last
	tx           stores.Transaction // of the step that has returned, until the next write; nil: none
	inboxEmpty   bool               // the inbox was empty when the instance was taken; no write since
	crashes      int                // that the record shows, besides those in its checkpoint
	delivered    stores.Message     // the signal of the present turn
	before       undelivered        // before the present turn
	mail         mailbox
	refused      map[int64]bool // the signals that the function could not read
	aside        uint64         // signals put aside since the last write
	passed       int            // points since the last write
	looked       bool           // the wait at this point has been saved before it ends
	wrote        time.Time      // the last write, or the beginning
	claim        *claim         // until the first write; nil: none
	needs        string         // a layout that a worker needs to know besides the function's
	heartbeatErr error          // of the last step, whose write has failed; see superviseStep
}

// undelivered is what a delivery changes.
type undelivered struct {
	list  []stores.Message
	taken []int64
	floor int64
}

// foreignLayout is the layout of a checkpoint, if no function here can load it.
type foreignLayout string //nolint:errname // it is a key, and an error on the way out

func (layout foreignLayout) Error() string {
	return fmt.Sprintf("it was saved with layout %q, which this program does not know: deploy one that does", string(layout))
}

// leaveFor is how long an instance is left alone that a later version of this package has saved.
const leaveFor = 10 * time.Second

// leave leaves an instance to the workers that can load it, if why says that this program is not
// the right one. Its record names its layout from then on, so that this worker does not take it
// again. The tempting other way, to make it stuck, would strand it in each rolling deploy: workers
// of the old version take what the new ones have saved.
func (r *run) leave(why error) (left bool, err error) {
	var layout foreignLayout
	now := r.e.now()
	r.endClaim()
	switch {
	case errors.As(why, &layout):
		r.record.Layout = layoutKey(r.f.name, string(layout))
	case errors.Is(why, ErrLater):
		now = now.Add(leaveFor)
	default:
		return false, nil
	}
	r.record.Owner, r.record.Due, r.record.Updated = "", now, r.e.now()
	_, err = r.e.store.Swap(r.e.ctx, r.record)
	return true, err
}

// layoutKey returns what a record says of a checkpoint with that layout: see
// [stores.Record.Layout]. It is never empty. A later format of checkpoints (see magic) needs keys
// of its own, so that programs that do not know it leave its instances to others.
func layoutKey(function, layout string) string { return function + " " + layout }

// layoutKeys returns the keys of the layouts that the engine's functions can load.
func (e *Engine) layoutKeys() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := []string{}
	for name, f := range e.functions {
		for _, layout := range slices.Concat([]string{f.layout}, f.resumes, slices.Collect(maps.Keys(f.migrations))) {
			if f.knows(layout) {
				list = append(list, layoutKey(name, layout))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// knows reports whether a function can load a checkpoint with that layout.
func (f *definition) knows(layout string) bool {
	for range len(f.migrations) + 1 {
		if f.layout == layout || slices.Contains(f.resumes, layout) {
			return true
		}
		layout = f.migrations[layout].To
	}
	return false
}

// runInstance runs an instance that is due. If the instance is already running here, the wake-up
// must not be dropped: it may be about a message that arrived after the run had released the
// instance, and the store hides instances that it has returned. So it makes that run check once
// more.
func (e *Engine) runInstance(taken *stores.Taken) {
	id := taken.ID
	for again := true; again; taken = nil {
		ctx, cancel := context.WithCancelCause(e.ctx)
		if !e.enter(id, cancel) {
			cancel(nil)
			return
		}
		e.runUntilWritten(ctx, id, taken)
		again = e.leave(id)
		cancel(nil)
	}
}

// runUntilWritten runs an instance, and tries again if the store fails: the failed write may have
// been made although its answer was lost, and then nothing else would continue an instance that
// this engine owns. The first try runs taken, if it is not nil. If the record has changed since it
// was taken, another run has written it, and the first write of this one conflicts.
func (e *Engine) runUntilWritten(ctx context.Context, id string, taken *stores.Taken) {
	for ; ; taken = nil {
		err := e.runOnce(ctx, id, taken)
		if err == nil || errors.Is(err, ErrConflict) || errors.Is(err, ErrNotFound) || e.ctx.Err() != nil {
			return
		}
		if isFinal(err) {
			e.log.Error("durable: an instance can neither be run nor become stuck", "id", id, "error", err)
			return
		}
		e.counts.storeErrors.Add(1)
		e.log.Error("durable: the store has failed; the instance is tried again", "id", id, "error", err)
		if e.place.Wait(e.ctx, e.draining, e.poll); e.isDraining() {
			return
		}
	}
}

// runningInstance is an instance that is running in this engine.
type runningInstance struct {
	cancel context.CancelCauseFunc // of its steps
	again  bool                    // it was woken during the run
	claim  *claim                  // of a run that has written nothing yet; nil: none to be made
}

// enter records that an instance is running here. If it already is, enter returns false, and the
// existing run checks once more.
func (e *Engine) enter(id string, cancel context.CancelCauseFunc) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if here := e.running[id]; here != nil {
		here.again = true
		return false
	}
	e.running[id] = &runningInstance{cancel: cancel}
	return true
}

// leave undoes enter, and reports whether the instance was woken in between.
func (e *Engine) leave(id string) (again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	again = e.running[id].again
	delete(e.running, id)
	return again
}

// loadTaken reads the present state of an instance from the store.
func (e *Engine) loadTaken(id string) (*stores.Taken, error) {
	r, err := e.store.Load(e.ctx, id)
	return &stores.Taken{Record: r, Mail: true}, err
}

// runOnce runs an instance from its checkpoint. An error is from the store.
func (e *Engine) runOnce(ctx context.Context, id string, taken *stores.Taken) (err error) {
	if taken == nil {
		if taken, err = e.loadTaken(id); err != nil {
			return err
		}
	}
	record := taken.Record
	f := e.function(record.Function)
	switch {
	case record.Status.Ended() && !record.Due.IsZero():
		return e.report(record)
	case record.Status.Ended() || record.Status == Stuck || f == nil || !e.runs(record.Step):
		return nil
	}
	crashes := taken.Lost
	if record.Owner != "" {
		crashes = 0 // a worker that has lost its lease takes its own instances, to no effect
	}
	if record.Owner != "" && record.Owner != e.worker {
		until, err := e.store.Leased(e.ctx, record.Owner)
		if err != nil || e.now().Before(until) {
			return err // the wake-up predates the present owner
		}
		if !until.Equal(givenUp) {
			crashes++
		}
	}
	r := &run{e: e, f: f, ctx: ctx, record: record, inboxEmpty: !taken.Mail, crashes: crashes, wrote: e.now()}
	defer r.rollback()
	e.counts.taken.Add(1)
	r.claim = &claim{since: e.now(), record: *record}
	defer r.endClaim()
	switch err = r.toNextWait(); {
	case errors.Is(err, ErrConflict) && r.heartbeatErr != nil:
		return r.heartbeatErr // this run's own heartbeat may have changed the record
	case isFinal(err): // a child that can never be stored, or an inbox that cannot be read
		return r.stickAtLast(err)
	}
	return err
}

// toNextWait runs the instance from its checkpoint until it waits, ends, or belongs to another
// worker. An error is from the store.
func (r *run) toNextWait() error {
	doc, err := r.open()
	if err == nil {
		if done, err := r.prepare(doc); done || err != nil {
			return err
		}
		r.beginClaim()
		err = r.load(doc)
	}
	if err == nil {
		return r.loop()
	}
	if left, err := r.leave(err); left {
		return err
	}
	return r.stick(err)
}

// open reads the checkpoint, and checks that it may be run.
func (r *run) open() (*checkpoint, error) {
	doc, err := open(r.record.State)
	if err != nil {
		return nil, err
	}
	if !r.f.knows(doc.Layout) {
		return nil, foreignLayout(doc.Layout)
	}
	return doc, r.countCrashes(doc)
}

// load makes the frame from the checkpoint.
func (r *run) load(doc *checkpoint) error {
	if err := r.f.migrate(doc); err != nil {
		return err
	}
	point, ok := r.f.number[doc.Point]
	if !ok {
		return fmt.Errorf("durable: the function has no point %q", doc.Point)
	}
	r.doc, r.point = doc, point
	slices.Sort(doc.Taken)
	r.trail(r.record.Updated)
	return r.reload()
}

// reload makes the frame again, so that a second attempt of a step does not see changes that the
// first has made to its arguments.
func (r *run) reload() (err error) {
	defer recoverTo(&err)
	if r.frame, err = r.f.make(nil); err != nil {
		return err
	}
	r.deferred, err = r.doc.restore(r.frame, r.point)
	return err
}

// recoverTo turns a panic into an error.
func recoverTo(err *error) {
	switch v := recover().(type) {
	case nil:
	case unreadable:
		*err = v
	default:
		*err = fmt.Errorf("durable: panic: %v\n%s", v, debug.Stack())
	}
}

// stick leaves the instance at its last checkpoint and records the reason. An error is from the
// store; the instance is then tried again, since no other worker would check an instance that
// this one owns.
func (r *run) stick(why error) error {
	r.endClaim()
	r.record.Status, r.record.Reason = Stuck, reasonOf(why)
	r.record.Owner, r.record.Due, r.record.Updated = "", time.Time{}, r.e.now()
	_, err := r.e.store.Swap(r.e.ctx, r.record)
	if errors.Is(err, ErrTooLarge) { // with the reason
		r.record.Reason = truncated(r.record.Reason, maxWhy)
		_, err = r.e.store.Swap(r.e.ctx, r.record)
	}
	r.e.log.Warn("durable: an instance is stuck", "id", r.record.ID, "function", r.record.Function, "reason", why, "error", err)
	r.e.wakeHandles(r.record.ID)
	if err == nil {
		r.e.counts.stuck.Add(1)
		r.emit(Event{Kind: GotStuck, Err: why})
	}
	return err
}

// loop runs the instance until it waits or ends, or until its record belongs to another worker.
func (r *run) loop() error {
	more, err := r.resume()
	for more && err == nil {
		finished, failure := r.moveNext()
		if errors.As(failure, new(unreadable)) && r.delivered.Seq > 0 {
			more, err = r.putAside(failure)
			continue
		}
		if failure != nil {
			if r.e.ctx.Err() == nil {
				return r.stickAtLast(failure)
			}
			return nil
		}
		if finished {
			more, err = r.unwind()
		} else {
			more, err = r.arrive()
		}
	}
	return err
}

// stickAtLast is like stick, but starts from the last saved checkpoint.
func (r *run) stickAtLast(why error) error {
	r.rollback()
	r.endClaim()
	last, err := r.e.store.Load(r.e.ctx, r.record.ID)
	switch {
	case err != nil:
		return err
	case last.Version != r.record.Version:
		return ErrConflict
	}
	r.record = last
	return r.stick(why)
}

// resume continues from the checkpoint: it calls the step or checks the wait.
func (r *run) resume() (more bool, err error) {
	switch {
	case r.doc.Step != "":
		return r.step(true)
	case r.doc.Fails != nil:
		return r.resumeDecided()
	case r.doc.Point == r.f.points[0].Name:
		r.turn = &turn{}
		return true, nil
	case r.doc.Join != nil:
		return r.awaitChildren(true)
	}
	return r.wait(true)
}

// moveNext runs the function to its next point.
func (r *run) moveNext() (finished bool, err error) {
	defer recoverTo(&err)
	t := &turn{point: r.point, err: r.turn.err, got: r.turn.got, results: r.turn.results, chosen: r.turn.chosen, now: r.e.now()}
	finished = r.frame.MoveNext(context.WithValue(r.ctx, turnKey{}, t), t)
	if t.misused.Load() {
		return false, errMisplaced
	}
	if t.kind == turnNothing || finished != (t.kind == turnReturn) {
		return false, fmt.Errorf("durable: MoveNext of %s has stopped without saying why", r.f.name)
	}
	if !finished && (t.next <= 0 || t.next >= len(r.f.points)) {
		return false, fmt.Errorf("durable: %s has no point %d", r.f.name, t.next)
	}
	if t.foreign != nil {
		return false, t.foreign
	}
	if t.retry != nil {
		if t.policy, err = encodePolicy(*t.retry); err != nil {
			return false, err
		}
	}
	r.delivered = stores.Message{}
	r.deferred = append(r.deferred, t.newDeferred...)
	r.doc.addAnswers(t.answers)
	r.turn = t
	if !finished {
		r.point = t.next
	}
	return finished, nil
}

// arrive handles a point that the function has just reached.
func (r *run) arrive() (more bool, err error) {
	p := r.f.points[r.point]
	r.startPoint(p.Name, p.At, "")
	switch r.turn.kind {
	case turnStep:
		r.doc.Step, r.doc.Retry = p.Step, r.turn.policy
		return r.step(false)
	case turnAll, turnAny:
		return r.arriveAtChildren()
	case turnSelect:
		return r.arriveAtSelect()
	}
	r.doc.Signal, r.doc.Until = r.turn.signal, r.turn.until
	return r.wait(false)
}

// startPoint starts the document of the next point.
func (r *run) startPoint(name, position, step string) {
	r.doc.Point, r.doc.At, r.doc.Step = name, position, step
	r.doc.Attempt, r.doc.Failures, r.doc.Crashes, r.doc.Undoing, r.doc.Progress = 0, 0, 0, false, nil
	r.doc.Signal, r.doc.Signals, r.doc.Checked, r.doc.Until, r.doc.Join, r.doc.Retry = "", nil, 0, time.Time{}, nil, nil
}
