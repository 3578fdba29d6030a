package main

import (
	"strconv"
	"strings"
)

// addition is something that a package may have one more of. The size of without is subtracted; if
// it is empty, that of package service alone. In the sources, # stands for the number of a copy.
type addition struct{ name, without, source string }

// copies returns the source with n copies, without the imports: each has types of its own, of
// different shapes.
func copies(source string, n int) string {
	if source == "" {
		return ""
	}
	all := imports
	for i := range n {
		all += strings.ReplaceAll(source, "#", strconv.Itoa(i))
	}
	return all
}

var additions = []*addition{
	{"result type that is mentioned", "", mention},
	{"`job.Run` of that type", mention, mention + `
func run#(ctx context.Context) *job.Job[one#] {
	return job.Run(ctx, func(context.Context) (one#, error) { return one#{true}, nil })
}
`},
	{"`ContinueWith`, as a function, of that type", mention, mention + `
func continue#(ctx context.Context, j *job.Job[one#]) *job.Job[one#] {
	return job.ContinueWith(ctx, j, func(_ context.Context, j *job.Job[one#]) (one#, error) { return one#{j.IsCompleted()}, nil })
}
`},
	{"annotated function, which returns an error", "", function},
	{"annotated function of another result type", "", `
type one# struct{ field# bool }

//movenext:async
func more#(ctx context.Context) (one#, error) { return one#{true}, job.Sleep(ctx, 1) }
`},
	{"call of an annotated function by another one", function, function + calling},
	{"suspension point", function, `
//movenext:async
func more#(ctx context.Context) error {
	if err := job.Sleep(ctx, 1); err != nil {
		return err
	}
	return job.Sleep(ctx, 1)
}
`},
	{"function literal that runs as a child", function + children(""), function + children(`
		scope.Go(func(ctx context.Context) error { return more#(ctx) })`)},
	{"type of keys of a `KeyedMutex`", function, key + `
//movenext:async
func more#(ctx context.Context) error {
	var m coord.KeyedMutex[key#]
	return m.Lock(ctx, key#{1})
}
`},
	{"type of keys of a `Limiter`", function, key + `
//movenext:async
func more#(ctx context.Context) error { return coord.NewLimiter[key#](1).Acquire(ctx, key#{1}) }
`},
}

const imports = `import (
	"context"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

var (
	_ context.Context
	_ = job.ErrNilJob
	_ = coord.ErrQueueFull
)
`

const mention = `
type one# struct{ field# bool }

var mentioned# *job.Job[one#]
`

const function = `
//movenext:async
func more#(ctx context.Context) error { return job.Sleep(ctx, 1) }
`

const key = `
type key# struct{ field# int8 }
`

const calling = `
//movenext:async
func calls#(ctx context.Context) error {
	return more#(ctx)
}
`

func children(start string) string {
	return `
//movenext:async
func children#(ctx context.Context) error {
	return job.InScope(ctx, func(_ context.Context, scope *job.Scope) error {` + start + `
		return more#(ctx)
	})
}
`
}
