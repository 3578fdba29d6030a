package pool

import (
	"context"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// IsPoolWorker reports whether ctx belongs to work that runs on a worker of a
// pool, directly or through schedulers on top of the pool: .NET's
// Thread.IsThreadPoolThread, asked of a context. It is false in main, on
// goroutines or threads of the user, and in long-running work, which runs outside
// the workers. The answer is about the context: a goroutine that was given the
// context of work gets the work's answer. A nil ctx is false. It does not block.
func IsPoolWorker(ctx context.Context) bool {
	w, ok := shim.Find[*worker](schedulers.WorkerFrom(ctx))
	return ok && w != nil
}
