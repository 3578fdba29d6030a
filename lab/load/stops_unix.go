//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// stopped is set in the environment of the process that is stopped at intervals.
const stopped = "MOVENEXT_LOAD_STOPPED"

// underStops runs this program again with the same arguments, and stops and continues that
// process at random until it ends. It returns the process's exit status. Inside that process it
// returns false at once.
//
// When a stopped process continues, everything in it continues at once, with its timers long
// expired: as after a laptop has slept, or a virtual machine was moved.
func underStops(out io.Writer, dice *rand.Rand) (status int, done bool) {
	if os.Getenv(stopped) != "" {
		return 0, false
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), stopped+"=1")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		return 1, true
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	// An interrupt reaches both; the other process prints its account.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	n := 0
	for ctx.Err() == nil && pause(ended, ctx.Done(), time.Duration(100+dice.IntN(3000))*time.Millisecond) {
		_ = cmd.Process.Signal(syscall.SIGSTOP)
		pause(ended, ctx.Done(), time.Duration(1+dice.IntN(500))*time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGCONT)
		n++
	}
	<-ended
	fmt.Fprintf(out, "stopped and continued %d times\n", n)
	return max(0, cmd.ProcessState.ExitCode()), true
}

// pause waits for d, and reports whether it has passed without an end or an interrupt.
func pause(ended, interrupted <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		return false
	case <-interrupted:
		return false
	case <-t.C:
		return true
	}
}
