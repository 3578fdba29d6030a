// The release form and the debug form of one machine, measured: how often each of them
// allocates, and how many bytes.
package main

import (
	"fmt"
	"math"
	"runtime"

	"github.com/movenext/movenext/docs/book/code/18-two-forms/release"
	"github.com/movenext/movenext/docs/book/code/18-two-forms/testdata/debug"
	"github.com/movenext/movenext/job"
)

// sumAsync is the twin in one of its forms.
type sumAsync func(a, b *job.Job[int]) *job.Job[int]

// cost returns how many objects, and how many bytes, a call of f allocates. Other allocations of
// the process can only add to that, so the least of several measurements counts.
func cost(f func()) (objects, bytes uint64) {
	const calls = 100
	objects, bytes = math.MaxUint64, math.MaxUint64
	for range 50 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			f()
		}
		runtime.ReadMemStats(&after)
		objects = min(objects, (after.Mallocs-before.Mallocs)/calls)
		bytes = min(bytes, (after.TotalAlloc-before.TotalAlloc)/calls)
	}
	return objects, bytes
}

// measure prints the cost of a call that does not wait, and of one that waits for its second job.
// The caller's own source is not counted.
func measure(form string, sum sumAsync) {
	one, big := job.FromResult(1), job.FromResult(1000)
	objects, bytes := cost(func() { _ = sum(one, big) })
	fmt.Printf("%-8s does not wait: %d object of %3d bytes", form, objects, bytes)

	sourceObjects, sourceBytes := cost(func() { job.NewSource[int]() })
	objects, bytes = cost(func() { _ = sum(one, job.NewSource[int]().Job()) })
	fmt.Printf(";  waits: %d object of %3d bytes\n", objects-sourceObjects, bytes-sourceBytes)
}

func main() {
	measure("release", release.SumAsync)
	measure("debug", debug.SumAsync)
}
