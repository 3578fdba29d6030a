// Package affinity binds threads of the operating system to processors, on
// systems that let a process do so.
package affinity

import "fmt"

// words is for 1024 processors, as many as the C library of Linux has room for.
const words = 1024 / 64

// Pin binds the calling thread to these processors, counted from 0. The goroutine
// must have locked its thread (runtime.LockOSThread) and keep it: a thread that
// is unlocked would run other goroutines under the same restriction. It returns
// nil; an error that wraps [errors.ErrUnsupported] where Go's standard library
// offers no way (all systems but Linux); or why the system refuses, which it does
// for processors that the process may not use. It does not block.
func Pin(cpus ...int) error {
	var mask [words]uint64
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= words*64 {
			return fmt.Errorf("affinity: there is no processor %d", cpu)
		}
		mask[cpu/64] |= 1 << (cpu % 64)
	}
	if err := pin(&mask); err != nil {
		return fmt.Errorf("affinity: processors %v: %w", cpus, err)
	}
	return nil
}
