//go:build !linux

package affinity

import "errors"

// pin is not supported: the calls of other systems are not in Go's standard
// library or, as on macOS, are only hints to the system.
func pin(*[words]uint64) error { return errors.ErrUnsupported }
