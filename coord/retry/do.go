package retry

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// Do calls op until it succeeds, and pauses between the calls as policy says. It returns the
// results of the last call. If that has failed, the reason why there is no other one is one of
// these:
//
//   - The failure is [Permanent], [If] says so, or ctx has ended: the error is that of op.
//   - The policy or an option has ended the attempts: the error wraps that of op. If a [Budget] is
//     spent, it matches [ErrBudget], too.
//   - ctx has ended in a pause: the error matches the cause, and has the text of op's last one.
//
// It blocks; its twin is DoAsync.
//
//movenext:async
func Do[T any](ctx context.Context, policy Policy, op func(context.Context) (T, error), opts ...Option) (T, error) {
	ctx = orBackground(ctx)
	s := begin(ctx, policy, opts)
	for {
		v, err := op(ctx)
		pause, last := s.count(ctx, err)
		if pause < 0 {
			return v, last
		}
		if ended := job.Sleep(ctx, pause); ended != nil {
			return v, fmt.Errorf("retry: %w after attempt %d: %s", ended, s.calls, err.Error())
		}
	}
}
