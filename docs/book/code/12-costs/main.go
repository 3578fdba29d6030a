// The cost of calls, awaits and waiting: allocations, and bytes for each waiter.
package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// get is a function that waits, or does not, as its job says.
//
//movenext:async
func get(j *job.Job[int]) (int, error) { return j.Await() }

// twice calls another annotated function two times.
//
//movenext:async
func twice(j *job.Job[int]) (int, error) {
	a, err := get(j)
	if err != nil {
		return 0, err
	}
	b, err := get(j)
	return a + b, err
}

// cost prints how many objects f allocates.
func cost(name string, f func()) {
	fmt.Printf("%-35s %v allocations\n", name, testing.AllocsPerRun(1000, f))
}

// perWaiter returns the bytes that each of ten thousand waiting calls keeps.
func perWaiter(call func(j *job.Job[int]) (end func())) uint64 {
	const n = 10_000
	ends := make([]func(), n)
	source := job.NewSource[int]()
	before := memory()
	for i := range ends {
		ends[i] = call(source.Job())
	}
	bytes := (memory() - before) / n
	source.TrySetResult(1)
	for _, end := range ends {
		end()
	}
	return bytes
}

// memory returns the bytes in use by objects and by stacks.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func goroutine(j *job.Job[int]) (end func()) {
	var group sync.WaitGroup
	group.Go(func() { _, _ = twice(j) })
	return group.Wait
}

func machine(j *job.Job[int]) (end func()) {
	m := twiceAsync(j)
	return func() { _, _ = m.Wait(context.Background()) }
}

func main() {
	complete := job.FromResult(1)
	cost("await of a complete job", func() { _, _ = complete.Await() })
	cost("two calls of a twin, no wait", func() { _, _ = twiceAsync(complete).Await() })
	cost("a source, completed by hand", func() { job.NewSource[int]().TrySetResult(1) })

	fmt.Println("a waiting machine is smaller than a fourth of a waiting goroutine:", 4*perWaiter(machine) < perWaiter(goroutine))
}
