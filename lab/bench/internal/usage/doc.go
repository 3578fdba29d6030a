// Package usage queries the operating system for the resources that processes have used:
// processor time and memory, of this process and of others. Values that a system does not provide
// are reported as unknown, never as zero.
package usage

import "time"

// Unknown is the memory of a process if the system does not provide it.
const Unknown = -1

// CPU returns the processor time that this process has used, in user and system mode and in all
// its threads.
func CPU() time.Duration { return cpu() }

// PeakMemory returns the largest resident memory of this process so far, in bytes, or [Unknown].
func PeakMemory() int64 { return peakMemory() }

// Busy returns the processor time that all processes of the machine have used since it started;
// ok is false if the system does not provide it. Its resolution is coarse: a hundredth of a
// second.
func Busy() (total time.Duration, ok bool) { return busy() }

// MemoryOf returns the resident memory in bytes of another process, or [Unknown].
func MemoryOf(pid int) int64 { return memoryOf(pid) }

// Available returns the memory in bytes that processes can still use without
// swapping, or [Unknown].
func Available() int64 { return available() }
