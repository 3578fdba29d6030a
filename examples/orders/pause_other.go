//go:build !unix

package main

import (
	"context"
	"os"
	"time"
)

// pause does nothing: processes cannot be stopped here.
func pause(context.Context, *os.Process, time.Duration) bool { return false }
