package job

import (
	"context"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// maxBlocking bounds the goroutines, and with them the OS threads, that blocking
// work can hold at one time. The Go runtime ends a process that has 10 000 threads;
// tokio's lane of the same purpose holds 512.
const maxBlocking = 512

// blockingLane runs what blocks, so that work which waits for a disk never takes a worker from work
// which computes. The process has one, since threads are the process's.
var blockingLane = sync.OnceValue(func() *schedulers.Home { return schedulers.HomeFor(&lane{places: maxBlocking}) })

// Blocking runs fn, which blocks its thread (a file, a C call, a driver without
// contexts), on a lane of its own, at most 512 at a time. The ambient scheduler in fn's
// context is that of ctx, so what fn starts does not run on the lane. An fn that waits for another
// Blocking job keeps its own place meanwhile: do not nest them deeply. It does not block.
func Blocking[T any](ctx context.Context, fn func(context.Context) (T, error)) *Job[T] {
	t := &runJob[T]{fn: fn}
	if err := t.prepare(t, ctx, nil, forJob, fn == nil); err != nil {
		return t.failed(err)
	}
	t.home, t.hidden = blockingLane(), true
	_ = t.submit(t.home, t.flags)
	return &t.Job
}
