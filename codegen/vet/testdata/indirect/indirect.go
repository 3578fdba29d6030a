package indirect

import (
	"context"
	"io"
	"iter"
	"slices"
	"sync"

	"example.com/vet/twins"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

type saver interface {
	Save(ctx context.Context) error
}

type both interface {
	Save(ctx context.Context) error
	SaveAsync(ctx context.Context) *job.Job[job.Void]
}

// merged has both forms, too: one is declared elsewhere.
type merged interface {
	saver
	SaveAsync(ctx context.Context) *job.Job[job.Void]
}

// conn has methods with twins, as a connection of one's own has.
type conn struct{}

func (conn) Save(ctx context.Context) error { return nil }

func (conn) SaveAsync(ctx context.Context) *job.Job[job.Void] { return nil }

func (conn) Read(b []byte) (int, error) { return 0, io.EOF }

func (conn) ReadAsync(b []byte) *job.Job[int] { return nil }

//movenext:async
func interfaces[S saver, B both, M merged](ctx context.Context, s saver, b both, t S, u B, m merged, v M) error {
	_ = b.Save(ctx)
	_ = m.Save(ctx)
	_ = v.Save(ctx)
	_, _ = job.Go(ctx, m.Save).Await()
	_ = u.Save(ctx)
	_ = t.Save(ctx)    // want `t\.Save blocks the worker; a type parameter declares no SaveAsync, although \(example\.com/vet/indirect\.conn\)\.Save has a twin; declare both forms in the interface \[indirect\]`
	return s.Save(ctx) // want `s\.Save blocks the worker; an interface declares no SaveAsync, although \(example\.com/vet/indirect\.conn\)\.Save has a twin; declare both forms in the interface \[indirect\]`
}

type server struct {
	handler func(context.Context) error
	less    func(a, b int) bool
}

// A func that returns a job starts it; the await suspends.
//
//movenext:async
func awaited(ctx context.Context, next func(context.Context) *job.Job[int]) (int, error) {
	return next(ctx).Await()
}

//movenext:async
func awaitedGeneric[T any](ctx context.Context, next func(context.Context) *job.Job[T]) (T, error) {
	j := next(ctx)
	return j.Await()
}

//movenext:async
func values(ctx context.Context, s *server, next func(context.Context) error, all []func() error) error {
	_ = next(ctx)
	_ = s.handler(ctx) // want `s.handler blocks the worker if what it holds would suspend; the type of a func value does not show a twin; take the function as a parameter, a func that returns a \*job\.Job and await that, or an interface with both forms \[indirect\]`
	_ = s.less(1, 2)
	_ = all[0]()
	wrapped := func(ctx context.Context) error { return next(ctx) }
	known := twins.Pause    // want `twins.Pause is passed on as its plain form`
	_ = known(ctx)          // want `known blocks the worker if`
	s.handler = twins.Pause // want `twins\.Pause is passed on as its plain form, which blocks; a func value has no twin; call it where the function does, or give it to job\.Run or a scope's Go \[indirect\]`
	_, _ = job.Blocking(ctx, func(ctx context.Context) (int, error) { return 1, twins.Pause(ctx) }).Await()
	_ = parallel.Invoke(ctx, twins.Pause) // it suspends
	return wrapped(ctx)
}

// given gives functions to a function that suspends in them.
//
//movenext:async
func given(ctx context.Context, s *server, next func(context.Context) error) error {
	_ = twins.Retry(ctx, next)
	_ = twins.Retry(ctx, nil)
	_ = twins.Retry(ctx, func(ctx context.Context) error { return next(ctx) })
	held := next
	_ = twins.Retry(ctx, held)
	_ = twins.Retry(ctx, s.handler)     // want `s.handler blocks the worker in twins.Retry if it would suspend; the type of a func value does not show a twin; pass the function itself, a literal, or a parameter \[indirect\]`
	_ = twins.Retry(ctx, generic)       // want `generic blocks the worker in twins.Retry; a generic function and a promoted method have no entry as values; pass a literal that calls it \[indirect\]`
	defer twins.Retry(ctx, twins.Pause) // want `twins.Pause blocks the worker in twins.Retry; a deferred call passes no entries; defer a literal that makes the call \[indirect\]`
	return nil
}

//movenext:async
func generic[C context.Context](ctx C) error { return twins.Pause(ctx) }

func genericAsync[C context.Context](ctx C) *job.Job[job.Void] { return nil }

// unknown assigns its parameter where nobody can follow.
//
//movenext:async
func unknown(ctx context.Context, next func(context.Context) error) error {
	p := &next
	_ = twins.Retry(ctx, next)    // want `next blocks the worker in twins.Retry if`
	return twins.Retry(ctx, (*p)) // want `\*p blocks the worker in twins.Retry if`
}

//movenext:async
func foreign(ctx context.Context, r io.Reader) error {
	_, _ = io.ReadAll(conn{})                // want `io\.ReadAll blocks the worker; it calls Read through an interface without ReadAsync, although \(example\.com/vet/indirect\.conn\)\.Read has a twin; call Read in a function marked //movenext:async instead, or run this with job\.Blocking \[indirect\]`
	_, _ = io.ReadAll(r)                     // want `io\.ReadAll blocks the worker; it calls Read through an interface without ReadAsync, although \(example\.com/vet/indirect\.conn\)\.Read has a twin; call Read in a function marked //movenext:async instead, or run this with job\.Blocking \[indirect\]`
	new(sync.Once).Do(func() { plain(ctx) }) // want `plain blocks the worker`
	return nil
}

func plain(ctx context.Context) error { return twins.Pause(ctx) }

func deep(ctx context.Context) error {
	go plain(ctx)
	return plain(ctx)
}

func harmless(ctx context.Context) *job.Job[job.Void] {
	go plain(ctx)
	return job.Go(ctx, func(ctx context.Context) error { return twins.Pause(ctx) }) // want `twins.Pause blocks the worker of this job`
}

//movenext:async
func helpers(ctx context.Context, s *job.Scope) error {
	s.Go(deep) // want `deep blocks its caller; it is not marked //movenext:async, and plain in it blocks; mark it, so that both suspend \[indirect\]`
	go deep(ctx)
	_ = harmless(ctx)
	return deep(ctx) // want `deep blocks the worker; it is not marked //movenext:async, and plain in it blocks; mark it, so that both suspend \[indirect\]`
}

//movenext:async
func sequences(ctx context.Context, c *coord.Channel[int], jobs ...*job.Job[int]) error {
	for range c.All(ctx) {
	}
	all := c.All(ctx) // want `a range over c\.All blocks, if the sequence is kept or passed on; only a range over the call itself uses the twin; range over the call in a function marked //movenext:async, or keep AllAsync \[indirect\]`
	_ = slices.Collect(keys(all))
	for range job.WhenEach(ctx, jobs...) {
	}
	return nil
}

func keys(seq iter.Seq2[int, error]) iter.Seq[int] { return func(func(int) bool) {} }
