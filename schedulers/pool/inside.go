package pool

import (
	"context"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// IsPoolWorker reports whether ctx was given to work that a worker of a pool runs, be it through schedulers on
// top of the pool: .NET's Thread.IsThreadPoolThread, asked of a context. It is false in main, on a goroutine or thread of the user's own, and in
// long-running work, which runs outside of the workers. What it says is about the
// context: a goroutine that was given the context by work gets the work's answer. A nil ctx is false. It does not block.
func IsPoolWorker(ctx context.Context) bool {
	w, ok := shim.Find[*worker](schedulers.WorkerFrom(ctx))
	return ok && w != nil
}
