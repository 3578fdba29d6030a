//go:build !linux

package affinity

import "errors"

// pin has no way: the calls of other systems are not in Go's standard library, or, as on macOS,
// are no more than a wish.
func pin(*[words]uint64) error { return errors.ErrUnsupported }
