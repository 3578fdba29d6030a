package main

import (
	"os"
	"syscall"
)

// resident returns how many bytes of memory a process had at most at a time.
func resident(p *os.ProcessState) int64 {
	kib := int64(p.SysUsage().(*syscall.Rusage).Maxrss) //nolint:unconvert // 32 bits on some systems
	return kib << 10
}
