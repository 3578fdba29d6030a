//go:build !linux

package main

import "os"

// resident returns 0: systems other than Linux count in other units, or do not count.
func resident(*os.ProcessState) int64 { return 0 }
