//go:build !linux && !windows

package workloads

import "syscall"

// sleepThread blocks its thread in a system call for a moment: a wait for nothing with a time
// limit, since some of these systems have no call that only sleeps.
func sleepThread() {
	limit := syscall.NsecToTimeval(moment.Nanoseconds())
	_ = syscall.Select(0, nil, nil, nil, &limit)
}
