package usage

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// peakMemory reads the high-water mark of the process's own memory.
//
// Getrusage's Maxrss is the tempting way, and what it says of a small child is its
// parent's: the child begins in its parent's memory, and the kernel keeps the mark
// of that across the exec. What a child of a driver that holds a table uses
// would be the driver's size.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return int64(rusage().Maxrss) << 10
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	fields := bytes.Fields(rest[:min(len(rest), 64)])
	if len(fields) == 0 {
		return int64(rusage().Maxrss) << 10
	}
	kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return Unknown
	}
	return kilobytes << 10
}

// busy adds up the columns of /proc/stat in which a processor worked for somebody:
// user, nice, system, irq and softirq. The unit of a column is 10 ms on every
// architecture that Go runs on.
func busy() (time.Duration, bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 8 {
		return 0, false
	}
	var ticks int64
	for _, i := range []int{1, 2, 3, 6, 7} {
		n, err := strconv.ParseInt(string(fields[i]), 10, 64)
		if err != nil {
			return 0, false
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, true
}

// limitMemory limits the data of the process: what it may write to. The
// address space, which is the better known limit, is reserved by the Go runtime far in excess of
// what it uses.
func limitMemory(n int64) error {
	limit := uint64(n)
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}
