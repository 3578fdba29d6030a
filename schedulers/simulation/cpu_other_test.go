//go:build !unix

package simulation_test

import "time"

// processorTime is not known on this system.
func processorTime() time.Duration { return 0 }
