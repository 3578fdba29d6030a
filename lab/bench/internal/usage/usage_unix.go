//go:build unix && !linux

package usage

import (
	"runtime"
	"time"
)

// peakMemory calls getrusage. Its unit is the byte on Apple's systems and the kilobyte elsewhere.
func peakMemory() int64 {
	u := rusage()
	peak := int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak <<= 10
	}
	return peak
}

func busy() (time.Duration, bool) { return 0, false }

func memoryOf(int) int64 { return Unknown }

func available() int64 { return Unknown }
