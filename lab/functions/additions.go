package main

// addition is something that a package may have one more of. The size of without is subtracted; if
// it is empty, that of package service alone.
type addition struct{ name, without, source string }

var additions = []*addition{
	{"result type that is mentioned", "", imports + mention},
	{"`job.Run` of that type", imports + mention, imports + mention + `
func runOne(ctx context.Context) *job.Job[one] {
	return job.Run(ctx, func(context.Context) (one, error) { return true, nil })
}
`},
	{"`ContinueWith`, as a function, of that type", imports + mention, imports + mention + `
func continueOne(ctx context.Context, j *job.Job[one]) *job.Job[one] {
	return job.ContinueWith(ctx, j, func(_ context.Context, j *job.Job[one]) (one, error) { return one(j.IsCompleted()), nil })
}
`},
	{"annotated function, which returns an error", "", imports + function},
	{"annotated function of another result type", "", imports + `
type one bool

//movenext:async
func more(ctx context.Context) (one, error) { return true, job.Sleep(ctx, 1) }
`},
	{"call of an annotated function by another one", imports + function, imports + function + calling},
	{"suspension point", imports + function, imports + `
//movenext:async
func more(ctx context.Context) error {
	if err := job.Sleep(ctx, 1); err != nil {
		return err
	}
	return job.Sleep(ctx, 1)
}
`},
	{"function literal that runs as a child", imports + function + children(""), imports + function + children(`
		scope.Go(func(ctx context.Context) error { return more(ctx) })`)},
	{"type of keys of a `KeyedMutex`", imports + function, imports + `
//movenext:async
func more(ctx context.Context) error {
	var m coord.KeyedMutex[int8]
	return m.Lock(ctx, 1)
}
`},
	{"type of keys of a `Limiter`", imports + function, imports + `
//movenext:async
func more(ctx context.Context) error { return coord.NewLimiter[int8](1).Acquire(ctx, 1) }
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
type one bool

var mentioned *job.Job[one]
`

const function = `
//movenext:async
func more(ctx context.Context) error { return job.Sleep(ctx, 1) }
`

const calling = `
//movenext:async
func calls(ctx context.Context) error {
	return more(ctx)
}
`

func children(start string) string {
	return `
//movenext:async
func children(ctx context.Context) error {
	return job.InScope(ctx, func(_ context.Context, scope *job.Scope) error {` + start + `
		return more(ctx)
	})
}
`
}
