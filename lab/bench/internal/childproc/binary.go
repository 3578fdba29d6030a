package childproc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/usage"
)

var (
	// ErrTooLong is the error of a trial that exceeded its time limit.
	ErrTooLong = errors.New("childproc: took too long")

	// ErrTooMuch is the error of a trial that exceeded its memory limit.
	ErrTooMuch = errors.New("childproc: took too much memory")
)

// Binary is a command that can be a child, and how its process is set up.
type Binary struct {
	Path  string
	Procs int           // GOMAXPROCS; below 1: as many as there are
	GOGC  string        // as the variable; "": 100
	Limit time.Duration // the longest a trial may take; 0: no limit

	// Memory is the largest resident memory in bytes that a trial may use, where the system
	// reports it; 0: no limit.
	Memory int64
}

// Result is the result of one trial.
type Result struct {
	measure.Sample

	// Foreign is the average number of processors that all other processes of the machine kept
	// busy during the trial; below zero if unknown.
	Foreign float64 `json:"foreign"`
}

// Works queries the binary for its works. It blocks until the child has ended.
func (b Binary) Works(ctx context.Context) ([]Listing, error) {
	a, _, err := b.ask(ctx, Request{List: true})
	return a.Works, err
}

// Run makes a child run one trial. It blocks until the child has ended. Its error is that of the
// trial (a wrong result), [ErrTooLong], ctx's cause, or the last message of a crashed child.
func (b Binary) Run(ctx context.Context, r Request) (Result, error) {
	before, known := usage.Busy()
	start := time.Now()
	a, own, err := b.ask(ctx, r)
	if err != nil {
		return Result{}, err
	}
	result := Result{Sample: a.Sample, Foreign: -1}
	if after, ok := usage.Busy(); ok && known {
		result.Foreign = max(0, float64(after-before-own)/float64(time.Since(start)))
	}
	return result, nil
}

// ask starts a child and returns its answer, and the processor time that it took.
func (b Binary) ask(ctx context.Context, r Request) (a answer, cpu time.Duration, err error) {
	r.Protocol = Protocol
	question, err := json.Marshal(r)
	if err != nil {
		return a, 0, fmt.Errorf("childproc: %w", err)
	}
	if b.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.Limit, fmt.Errorf("%w: more than %v", ErrTooLong, b.Limit))
		defer cancel()
	}
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, b.Path, argument)
	cmd.Env = append(os.Environ(), b.environment()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &said
	err = b.run(cmd, kill)
	if ctx.Err() != nil {
		return a, 0, context.Cause(ctx)
	}
	if err != nil {
		return a, 0, fmt.Errorf("childproc: %w: %s", err, shortenOutput(said.String()))
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return a, 0, fmt.Errorf("childproc: %s does not answer as a benchmark: %w", b.Path, err)
	}
	if a.Error != "" {
		return a, 0, errors.New(a.Error)
	}
	return a, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// run runs the child, and checks its memory at intervals.
//
// Checking from outside is coarse, but it does not disturb the measurement. A limit set by the
// system would be exact, but the Go runtime cannot handle a lack of memory, and crashes in many
// different ways.
func (b Binary) run(cmd *exec.Cmd, kill context.CancelCauseFunc) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", b.Path, err)
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if b.Memory > 0 {
			b.watch(cmd.Process.Pid, ended, kill)
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	return err
}

func (b Binary) watch(pid int, ended <-chan struct{}, kill context.CancelCauseFunc) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			if usage.MemoryOf(pid) > b.Memory {
				kill(fmt.Errorf("%w: more than %d MB", ErrTooMuch, b.Memory/1e6))
				return
			}
		}
	}
}

// environment is the environment of the child's runtime. Both variables are always set:
// the driver's own environment must not change a figure without being printed next to it.
func (b Binary) environment() []string {
	gogc := b.GOGC
	if gogc == "" {
		gogc = "100"
	}
	env := []string{"GOGC=" + gogc, "GODEBUG=", "GOMEMLIMIT=", "GOMAXPROCS="}
	if b.Procs > 0 {
		env[3] += strconv.Itoa(b.Procs)
	}
	return env
}
