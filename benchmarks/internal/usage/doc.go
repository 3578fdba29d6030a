// Package usage asks the operating system what a process has used: processor
// time and memory, its own and that of the others. What a system does not tell is
// reported as unknown, never as zero work.
package usage

import "time"

// Unknown is the memory of a process where the system does not tell it.
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

// LimitMemory ends this process when it has allocated more than so many bytes,
// where the system can do that.
//
// A goroutine that asks for the memory in use would be a part of what is
// measured, and too late for a million goroutines that start at once.
func LimitMemory(bytes int64) error { return limitMemory(bytes) }
