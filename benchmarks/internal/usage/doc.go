// Package usage asks the operating system for the resources that a process has used:
// processor time and memory, its own and that of the others. Values that a system does
// not provide are reported as unknown, never as zero work.
package usage

import "time"

// Unknown is the memory of a process if the system does not provide it.
const Unknown = -1

// CPU returns the processor time that this process has had, in user and system
// mode and of all its threads.
func CPU() time.Duration { return cpu() }

// PeakMemory returns the most resident memory in bytes that this process has had,
// or [Unknown].
func PeakMemory() int64 { return peakMemory() }

// Busy returns the processor time that all processes of the machine have had
// since it started; ok is false where the system does not tell. Its steps are
// coarse: a hundredth of a second.
func Busy() (total time.Duration, ok bool) { return busy() }

// MemoryOf returns the resident memory in bytes of another process, or [Unknown].
func MemoryOf(pid int) int64 { return memoryOf(pid) }

// Available returns the memory in bytes that processes can still use without
// swapping, or [Unknown].
func Available() int64 { return available() }
