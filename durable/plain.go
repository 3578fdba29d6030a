package durable

import (
	"context"
	"errors"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

// runPlain runs a function in its plain form, as the child of a function in its plain form. It
// returns the encoded result.
func (f *definition) runPlain(ctx context.Context, request []byte) ([]byte, error) {
	frame, err := f.make(request)
	if err != nil {
		return nil, err
	}
	var deferred []deferredCall
	var asked *turn
	for t := (&turn{now: time.Now()}); ; {
		finished, again := plainMove(ctx, frame, t)
		if again {
			t = plainTurn(ctx, frame, asked)
			continue
		}
		deferred = append(deferred, t.newDeferred...)
		if finished {
			break
		}
		asked = t
		t = plainTurn(ctx, frame, asked)
	}
	result, failure := frame.Outcome()
	for n := len(deferred) - 1; n >= 0 && *failure != nil; n-- {
		*failure = errors.Join(*failure, frame.Undo(context.WithoutCancel(ctx), deferred[n].site, deferred[n].args))
	}
	if *failure != nil {
		return nil, Normalise(*failure)
	}
	return outcome(result)
}

// plainMove runs a frame to its next point. It reports whether the frame could not read the signal
// that it was given, and waits for another one.
func plainMove(ctx context.Context, frame gen.Frame, t *turn) (finished, again bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, again = v.(unreadable); !again {
				panic(v)
			}
		}
	}()
	return frame.MoveNext(ctx, t), false
}

// plainTurn performs the operation that a frame requests.
func plainTurn(ctx context.Context, frame gen.Frame, asked *turn) *turn {
	t := &turn{point: asked.next, now: time.Now()}
	p, err := plainOf(ctx)
	if err != nil {
		t.err = err
		return t
	}
	wait := Forever
	if !asked.until.IsZero() {
		wait = asked.until.Sub(asked.now)
	}
	switch asked.kind {
	case turnStep:
		t.err = Normalise(frame.Call(ctx, asked.next))
	case turnReceive:
		_, t.got, t.err = p.Receive(ctx, wait, asked.signal)
	case turnSleep:
		t.err = p.Sleep(ctx, wait)
	case turnAll:
		t.results, t.err = plainAll(ctx, asked.children)
	case turnAny:
		t.results, t.err = plainAny(ctx, asked.children)
	case turnSelect:
		t.chosen, t.err = plainSelect(ctx, p, wait, asked.signals, asked.children)
	}
	return t
}

// plainAll calls functions one after the other, and stops at the first failure.
func plainAll(ctx context.Context, children []Child) (results [][]byte, err error) {
	for _, c := range children {
		result, err := plainChild(ctx, c)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// plainAny calls functions one after the other, and stops at the first success.
func plainAny(ctx context.Context, children []Child) ([][]byte, error) {
	failures := []error{}
	for _, c := range children {
		result, err := plainChild(ctx, c)
		if err == nil {
			return [][]byte{result}, nil
		}
		failures = append(failures, err)
	}
	if len(failures) == 0 {
		return nil, Normalise(errNoChildren)
	}
	return nil, Normalise(errors.Join(failures...))
}

// plainChild calls one function.
func plainChild(ctx context.Context, c Child) ([]byte, error) {
	switch {
	case c.err != nil || c.plain == nil:
		return nil, errors.Join(c.err, noCall(c))
	case ctx.Err() != nil:
		return nil, ErrCanceled
	}
	return c.plain(ctx)
}
