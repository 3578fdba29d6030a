//go:build !unix

package main

import "time"

// cpuTime returns the processor time that this process has used so far, or -1 if the system does
// not provide it.
func cpuTime() time.Duration { return -1 }
