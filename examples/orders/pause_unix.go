//go:build unix

package main

import (
	"context"
	"os"
	"syscall"
	"time"
)

// pause stops a process for a while, and reports that this was possible. To others it looks like a
// process that the network has cut off.
func pause(ctx context.Context, p *os.Process, d time.Duration) bool {
	if p.Signal(syscall.SIGSTOP) != nil {
		return false
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return p.Signal(syscall.SIGCONT) == nil
}
