// Package affinity binds threads of the operating system to processors, on
// systems that let a process do so.
package affinity

import "fmt"

// words is the size of a mask of 1024 processors, as many as the C library of Linux
// provides for.
const words = 1024 / 64

// Pin binds the calling thread to these processors, counted from 0. The goroutine
// must have locked its thread (runtime.LockOSThread) and must not unlock it: the
// thread would then run other goroutines under the same restriction. On systems other
// than Linux, where Go's standard library offers no way, Pin returns an error that wraps
// [errors.ErrUnsupported]. Otherwise it returns nil or the error of the system, for
// example if the process may not use these processors. It does not block.
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
