// Package twins holds calls, each with what the rule of twins says of it.
package twins

import (
	"context"
	"strings"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/codegen/testdata/twins/other"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

type word string

//movenext:async
func local(w word) []word { return nil }

// localEnter is taken, so the entry gets another name.
func localEnter() {}

type repo struct {
	*other.List[word]
	job.Job[string]
}

//movenext:async
func (r repo) find() error { return nil }

type shadow struct{ repo }

func (shadow) findAsync() {}

func calls(ctx context.Context, j *job.Job[int], a awaiter.Awaitable[word], s schedulers.Scheduler, p other.Pair, h other.Half, r repo) {
	j.Await()                         // await job: int
	(j).Await()                       // await job: int
	job.FromResult(word("x")).Await() // await job: twins.word
	r.Job.Await()                     // await job: string
	r.Await()                         // await job: string
	(*job.Job[int]).Await(j)          // await job: int
	awaiter.Await(a)                  // await: twins.word
	awaiter.Await[word](a)            // await: twins.word
	job.Yield()                       // yield
	job.SwitchTo(ctx, s)              // switch
	job.Sleep(ctx, 0)                 // sleep
	other.ByHand(1)                   // twin: io.Reader
	p.Read(nil)                       // twin: int
	other.Pair.Read(p, nil)           // twin: int
	local("x")                        // enter localEnter2 *twins.localFrame: []twins.word
	other.Generated(ctx, "x")         // enter GeneratedEnter *other.GeneratedFrame: int
	other.Generic(map[int]word{})     // enter GenericEnter *other.GenericFrame[int, twins.word]: job.Tuple2[int, twins.word]
	other.Generic[bool, error](nil)   // enter GenericEnter *other.GenericFrame[bool, error]: job.Tuple2[bool, error]
	r.find()                          // enter findEnter *twins.repoFindFrame: job.Void
	repo.find(r)                      // enter findEnter *twins.repoFindFrame: job.Void
	r.Get(1)                          // enter GetEnter *other.ListGetFrame[twins.word]: twins.word
	new(other.List[func()]).Get(1)    // enter GetEnter *other.ListGetFrame[func()]: func()
	(*other.List[int]).Get(nil, 1)    // enter GetEnter *other.ListGetFrame[int]: int
	shadow{r}.find()                  // no
	h.Read(nil)                       // twin: int
	other.OtherParams(1)              // no
	other.OtherResult()               // no
	other.NoJob()                     // no
	other.Variadic(1)                 // no
	other.Constraint(1)               // no
	r.Split()                         // no
	strings.ToUpper("x")              // no
	_ = len("x")                      // no
	_ = word("x")                     // no
	func() {}()                       // no
	f := j.Await
	f()                         // no
	job.FromResult(1).Wait(ctx) // no
}
