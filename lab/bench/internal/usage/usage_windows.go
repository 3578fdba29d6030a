package usage

import (
	"syscall"
	"time"
)

func cpu() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	if err := syscall.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	return duration(kernel) + duration(user)
}

// duration returns the duration in a Filetime, whose unit is 100 ns. (The method
// Nanoseconds is for a Filetime that is a date.)
func duration(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

func peakMemory() int64 { return Unknown }

func busy() (time.Duration, bool) { return 0, false }

func memoryOf(int) int64 { return Unknown }

func available() int64 { return Unknown }
