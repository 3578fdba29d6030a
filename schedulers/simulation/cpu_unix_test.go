//go:build unix

package simulation_test

import (
	"syscall"
	"time"
)

// processorTime is the time that the process has computed.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
