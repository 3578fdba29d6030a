package bridge

import (
	"context"
	"os"
	"os/exec"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
)

// FromProcess starts cmd, unless it was started, and returns the job of its end. Its
// result is the process's state, even next to an error: an exit status other than 0 is
// an *exec.ExitError, as from cmd.Wait. When ctx ends, or the job is canceled, the
// process is killed and the job is Canceled; set cmd.WaitDelay if its children may hold
// its pipes open.
//
// It does not block. The wait takes a place in the lane of [job.Blocking] for as long
// as the process runs.
func FromProcess(ctx context.Context, cmd *exec.Cmd) *job.Job[*os.ProcessState] {
	if cmd == nil {
		return job.FromError[*os.ProcessState](ErrNil)
	}
	return job.Blocking(ctx, func(ctx context.Context) (*os.ProcessState, error) {
		if cmd.Process == nil {
			if err := cmd.Start(); err != nil {
				return nil, err
			}
		}
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		if !stop() && err != nil {
			err = ctxwatch.Reason(ctx)
		}
		return cmd.ProcessState, err
	})
}
