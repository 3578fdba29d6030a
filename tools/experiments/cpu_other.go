//go:build !unix

package main

import "time"

// cpuTime returns the processor time that this process has had so far, or -1 where the
// system does not tell.
func cpuTime() time.Duration { return -1 }
