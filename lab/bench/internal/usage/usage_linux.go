package usage

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// peakMemory reads the high-water mark of the process's own memory.
//
// Getrusage's Maxrss is the tempting way, but for a small child it returns its parent's:
// the child begins in its parent's memory, and the kernel keeps that mark across the
// exec. A child of a driver that holds a table would seem to use the driver's memory.
func peakMemory() int64 {
	if peak := kilobytes("/proc/self/status", "VmHWM"); peak != Unknown {
		return peak
	}
	return int64(rusage().Maxrss) << 10
}

func memoryOf(pid int) int64 { return kilobytes("/proc/"+strconv.Itoa(pid)+"/status", "VmRSS") }

func available() int64 { return kilobytes("/proc/meminfo", "MemAvailable") }

// kilobytes returns the value after a name in a file, a number of kilobytes, in bytes.
func kilobytes(file, name string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return Unknown
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	number, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return Unknown
	}
	return n << 10
}

// busy adds up the columns of /proc/stat in which a processor did useful work: user,
// nice, system, irq and softirq. The unit of a column is 10 ms on every architecture that
// Go runs on.
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
