package job

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/schedulers"
)

// slot is a scheduler that holds one piece of work and allocates nothing.
type slot struct{ work schedulers.Work }

func (s *slot) Submit(w schedulers.Work, _ schedulers.Hint) error { s.work = w; return nil }

func (s *slot) run() {
	w := s.work
	s.work = nil
	w.Run(nil)
}

// TestWorkItemsPromoteFewMethods holds the time to compile users' packages: see task.go. Of the
// methods, package reflect counts those with exported names: an embedded job would have thirty.
func TestWorkItemsPromoteFewMethods(t *testing.T) {
	for _, o := range []owner{
		&runJob[int]{}, &spawned[int]{}, &continued[int, int]{}, &then[int, int]{}, &catch[int]{}, &finally[int]{},
	} {
		assert.Zero(t, reflect.TypeOf(o).NumMethod(), "%T", o)
	}
}

// The allocations of each operation, in addition to those of the caller (the closure,
// the context).
func TestAllocations(t *testing.T) {
	s := &slot{}
	ctx := schedulers.With(context.Background(), s)
	cancelable, cancel := context.WithCancel(ctx)
	defer cancel()
	one := constant(1, nil)
	nothing := func(context.Context) error { return nil }
	done, void := FromResult(1000), FromResult(Void{})
	follow := func(context.Context, *Job[int]) (int, error) { return 1, nil }
	then := func(context.Context, int) (int, error) { return 1, nil }

	rows := []struct {
		name string
		want float64
		op   func()
	}{
		{"FromResult(Void{})", 0, func() { FromResult(Void{}) }},
		{"FromResult of anything else", 1, func() { FromResult(1000) }},
		{"Await of a completed job", 0, func() { _, _ = done.Await() }},
		{"Wait of a completed job", 0, func() { _, _ = void.Wait(ctx) }},
		{"GetAwaiter", 0, func() { done.GetAwaiter() }},
		{"Run", 1, func() { Run(ctx, one); s.run() }},
		{"Run, with options", 1, func() { Run(ctx, one, PreferFairness(), LongRunning()); s.run() }},
		{"Run, on another scheduler", 2, func() { Run(ctx, one, On(s)); s.run() }},
		{"Run, and its context's scheduler asked", 1, func() {
			Run(ctx, func(ctx context.Context) (int, error) { schedulers.FromContext(ctx); return 0, ctx.Err() })
			s.run()
		}},
		{"Go", 1, func() { Go(ctx, nothing); s.run() }},
		{"New and Start", 1, func() { _ = New(ctx, one).Start(); s.run() }},
		{"NewSource and TrySetResult", 1, func() { NewSource[int]().TrySetResult(1) }},
		{"ContinueWith of a completed job", 1, func() { ContinueWith(ctx, done, follow); s.run() }},
		{"ContinueWith of a pending job, and its source", 2, func() {
			src := NewSource[int]()
			ContinueWith(ctx, src.Job(), follow)
			src.TrySetResult(1)
			s.run()
		}},
		{"Then of a completed job", 1, func() { Then(ctx, done, then); s.run() }},
		{"WaitAsync of a completed job", 0, func() { WaitAsync(cancelable, done) }},
		{"WhenAll of 100 completed jobs", 3, func() { WhenAll(hundred[:]...) }},
		{"WhenAll of 100 of which one is pending, and its source", 6, func() {
			src := NewSource[int]()
			last := hundred
			last[0] = src.Job()
			WhenAll(last[:]...)
			src.TrySetResult(1)
		}},
		{"WhenAny of 100 completed jobs", 1, func() { WhenAny(hundred[:]...) }},
	}
	for _, row := range rows {
		assert.Equal(t, row.want, testing.AllocsPerRun(100, row.op), row.name)
	}
}

var hundred = func() (js [100]*Job[int]) {
	for i := range js {
		js[i] = FromResult(i)
	}
	return js
}()

// A wait that is alone under its context registers there: five objects under a new context, and
// two under one that has been waited for before. Package context makes all of them. Under a timeout of
// this package it is none.
func TestAWaitAloneUnderAContextAllocatesWhatPackageContextDoes(t *testing.T) {
	old, cancelOld := context.WithCancel(context.Background())
	defer cancelOld()
	wait := func(ctx context.Context) {
		src := NewSource[int]()
		WaitAsync(ctx, src.Job())
		src.TrySetResult(1)
	}
	fresh := func(do func(context.Context)) float64 {
		return testing.AllocsPerRun(100, func() {
			ctx, cancel := context.WithCancel(context.Background())
			do(ctx)
			cancel()
		})
	}
	listen := func(ctx context.Context) { context.AfterFunc(ctx, func() {})() }
	const sourceAndJob = 2
	made := fresh(func(context.Context) {})
	assert.Equal(t, 5.0, fresh(listen)-made, "package context, under a new one")
	for range 20 {
		fresh(wait) // so that each shard has a group for the next channel
	}
	assert.Equal(t, 5.0, fresh(wait)-made-sourceAndJob)
	assert.Equal(t, 2.0, testing.AllocsPerRun(100, func() { listen(old) }), "package context, under an old one")
	assert.Equal(t, 2.0, testing.AllocsPerRun(100, func() { wait(old) })-sourceAndJob)
	own, cancelOwn := WithTimeout(context.Background(), time.Hour)
	defer cancelOwn()
	assert.Zero(t, testing.AllocsPerRun(100, func() { wait(own) })-sourceAndJob, "under one of this package")
	src := NewSource[int]()
	WaitAsync(old, src.Job())
	assert.Zero(t, testing.AllocsPerRun(100, func() { wait(old) })-sourceAndJob, "while another waits under it")
	src.TrySetResult(1)
}

func TestASleepIsOneAllocation(t *testing.T) {
	c := &clocked{}
	ctx := schedulers.With(context.Background(), c)
	sleep := func() { SleepAsync(ctx, time.Hour) }
	assert.LessOrEqual(t, testing.AllocsPerRun(1000, sleep), 1.1, "one, and the growth of the timers' heap")
}
