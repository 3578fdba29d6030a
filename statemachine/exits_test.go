package statemachine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// The enumeration of all small programs in which a goroutine exits, deferred calls panic and
// recover, and functions suspend. A program is a list of functions, each of which calls the next
// one; the last one calls a plain function that returns, panics, exits, or does both. It runs in
// plain form, which is the oracle, and as machines.

// shape is the shape of a function in such a program: what stands around its call of the next one.
type shape int

var allExits = flag.Bool("exits", false, "run every small program of exits, panics and suspensions, not one in eleven")

const (
	bare      shape = iota // nothing
	natively               // deferred calls that do not suspend
	epilogues              // deferred literals that may suspend
	overAll                // a range over a stream, whose function has deferred literals that may suspend
	overSeq                // a range over a plain function with deferred calls
	overBoth               // a range over a stream, and deferred calls that do not suspend
	overTwo                // two ranges, over a plain function and a stream, and deferred literals
	shapes
)

// deed is what a deferred call does, or the end of the program.
type deed int

const (
	returns deed = iota
	panics1
	exits1
	exitsAndPanics // exits, and a deferred call panics meanwhile
	recovers1
	recoversAndPanics1
	recoversAndExits
	deeds
)

const programEnds = recovers1 // the end of a program is one of those before

// pause is when a function or a deferred call suspends, if its shape allows it.
type pause int

const (
	never pause = iota
	before
	between // after recover, or after the call of the next function
	pauses
)

type layer struct {
	shape shape
	deed  deed // of its deferred calls
	pause pause
	first bool // it suspends before it calls the next function
}

type exitProgram struct {
	layers []layer
	end    deed
}

func (p exitProgram) String() string { return fmt.Sprintf("%+v end %d", p.layers, p.end) }

// exitRun is one run of a program, with the list of what has happened.
type exitRun struct {
	exitProgram
	log strings.Builder
}

func (s *exitRun) note(format string, args ...any) { fmt.Fprintf(&s.log, format+"; ", args...) }

// act does what is left of a deed after its recover. It does not know who calls it.
func (s *exitRun) act(n int, d deed) {
	switch d {
	case panics1, recoversAndPanics1:
		panic(fmt.Sprint("panic of ", n))
	case exits1, recoversAndExits:
		runtime.Goexit()
	case exitsAndPanics:
		defer panic(fmt.Sprint("panic in the exit of ", n))
		runtime.Goexit()
	}
}

func (d deed) recovers() bool { return d >= recovers1 }

// do is a deferred call that does not suspend.
func (s *exitRun) do(n int) {
	s.note("deferred %d", n)
	d := s.layers[n].deed
	if d.recovers() {
		s.note("recovered %v", recover())
	}
	s.act(n, d)
}

// seq is a plain function to range over.
func (s *exitRun) seq(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer s.do(n)
		s.note("yields %v", yield(n))
	}
}

// stream is a function to range over that may suspend.
//
//movenext:async
func (s *exitRun) stream(ctx context.Context, n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer func() {
			if s.layers[n].pause == before {
				job.Yield()
			}
			s.note("deferred in the stream %d", n)
			if s.layers[n].deed.recovers() {
				s.note("recovered %v", recover())
			}
			if s.layers[n].pause == between {
				job.Yield()
			}
			s.act(n, s.layers[n].deed)
		}()
		s.note("yields %v", yield(n, ctx.Err()))
	}
}

// next is the call of function n, or the end.
//
//movenext:async
func (s *exitRun) next(ctx context.Context, n int) {
	if n == len(s.layers) {
		s.act(n, s.end)
		return
	}
	switch s.layers[n].shape {
	case bare:
		s.bare(ctx, n)
	case natively:
		s.natively(ctx, n)
	case epilogues:
		s.epilogues(ctx, n)
	case overAll:
		s.overAll(ctx, n)
	case overSeq:
		s.overSeq(ctx, n)
	case overBoth:
		s.overBoth(ctx, n)
	case overTwo:
		s.overTwo(ctx, n)
	}
	s.note("%d has returned", n)
}

//movenext:async
func (s *exitRun) bare(ctx context.Context, n int) {
	if s.layers[n].first {
		job.Yield()
	}
	s.next(ctx, n+1)
	if s.layers[n].pause == between {
		job.Yield()
	}
}

//movenext:async
func (s *exitRun) natively(ctx context.Context, n int) {
	defer s.do(n)
	if s.layers[n].first {
		job.Yield()
	}
	s.next(ctx, n+1)
	if s.layers[n].pause == between {
		job.Yield()
	}
}

//movenext:async
func (s *exitRun) epilogues(ctx context.Context, n int) {
	defer func() { s.note("the outer call %v", recover()) }()
	defer func() {
		if s.layers[n].pause == before {
			job.Yield()
		}
		s.note("deferred %d", n)
		if s.layers[n].deed.recovers() {
			s.note("recovered %v", recover())
		}
		if s.layers[n].pause == between {
			job.Yield()
		}
		s.act(n, s.layers[n].deed)
	}()
	if s.layers[n].first {
		job.Yield()
	}
	s.next(ctx, n+1)
}

//movenext:async
func (s *exitRun) overAll(ctx context.Context, n int) {
	for v, err := range s.stream(ctx, n) {
		s.note("got %d %v", v, err)
		if s.layers[n].first {
			job.Yield()
		}
		s.next(ctx, n+1)
	}
}

//movenext:async
func (s *exitRun) overSeq(ctx context.Context, n int) {
	for v := range s.seq(n) {
		s.note("got %d", v)
		if s.layers[n].first {
			job.Yield()
		}
		s.next(ctx, n+1)
	}
}

//movenext:async
func (s *exitRun) overBoth(ctx context.Context, n int) {
	defer s.do(n)
	for v, err := range s.stream(ctx, n) {
		s.note("got %d %v", v, err)
		if s.layers[n].first {
			job.Yield()
		}
		s.next(ctx, n+1)
	}
}

//movenext:async
func (s *exitRun) overTwo(ctx context.Context, n int) {
	defer func() {
		if s.layers[n].pause == before {
			job.Yield()
		}
		s.note("the outer call %v", recover())
	}()
	for range s.seq(n) {
		for v, err := range s.stream(ctx, n) {
			s.note("got %d %v", v, err)
			if s.layers[n].first {
				job.Yield()
			}
			s.next(ctx, n+1)
		}
	}
}

// The ways to run a program as a machine.

//movenext:async
func runResumed(ctx context.Context, s *exitRun) {
	job.Yield()
	s.next(ctx, 0)
}

//movenext:async
func runSpawned(ctx context.Context, s *exitRun) error {
	_, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		s.next(ctx, 0)
		return 0, nil
	}).Await()
	return err
}

var exitWays = map[string]func(context.Context, *exitRun) *job.Job[job.Void]{
	"hot":     func(ctx context.Context, s *exitRun) *job.Job[job.Void] { return s.nextAsync(ctx, 0) },
	"resumed": runResumedAsync, "spawned": runSpawnedAsync,
}

func endOfJob(j *job.Job[job.Void]) (string, error) {
	_, err := j.Wait(context.Background())
	if p, ok := errors.AsType[*job.PanicError](err); ok {
		return fmt.Sprint("panic ", p.Value), err
	}
	return fmt.Sprint("error ", err), err
}

// checkExits compares the executions of a program.
func checkExits(t *testing.T, ctx context.Context, p exitProgram) {
	plain := &exitRun{exitProgram: p}
	want, err := endOfJob(statemachine.Plain(context.Background(), func() (job.Void, error) {
		plain.next(context.Background(), 0)
		return job.Void{}, nil
	}))
	for name, start := range exitWays {
		s := &exitRun{exitProgram: p}
		var j *job.Job[job.Void]
		started := make(chan struct{})
		go func() {
			defer close(started)
			j = start(ctx, s)
		}()
		<-started
		if j != nil {
			got, _ := endOfJob(j)
			require.Equal(t, want, got, "%s: %v", name, p)
		} else { // the caller's goroutine has exited, before the first suspension
			require.True(t, name == "hot" && promise.Exits(err), "%s: %v: %v", name, p, err)
		}
		require.Equal(t, plain.log.String(), s.log.String(), "%s: %v", name, p)
	}
}

// everyLayer calls f with every layer.
func everyLayer(f func(layer)) {
	for s := range shapes {
		for d := range deeds {
			for w := range pauses {
				for _, first := range []bool{false, true} {
					if l := (layer{s, d, w, first}); l.differs() {
						f(l)
					}
				}
			}
		}
	}
}

// differs reports whether the layer is not the same program as another one.
func (l layer) differs() bool {
	switch l.shape {
	case bare:
		return l.deed == returns && l.pause != before
	case natively:
		return l.pause != before
	case overSeq:
		return l.pause == never
	}
	return true
}

func TestEverySmallProgramOfExitsPanicsAndSuspensions(t *testing.T) {
	before := job.OnUnobserved(func(job.Failure) {}) // of jobs whose caller has exited
	defer job.OnUnobserved(before)
	ctx, count, checked := oneWorker(t), 0, 0
	every := 11
	switch {
	case *allExits:
		every = 1
	case testing.Short():
		every = 101
	}
	check := func(p exitProgram) {
		if count++; count%every == 0 {
			checked++
			checkExits(t, ctx, p)
		}
	}
	everyLayer(func(inner layer) {
		for end := range programEnds {
			check(exitProgram{[]layer{inner}, end})
			everyLayer(func(outer layer) { check(exitProgram{[]layer{outer, inner}, end}) })
		}
	})
	t.Logf("%d programs", count)
	assert.Equal(t, count/every, checked)
}
