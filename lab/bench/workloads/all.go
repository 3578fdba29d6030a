package workloads

import (
	"fmt"

	"github.com/movenext/movenext/lab/bench/suite"
)

// goroutines is the contender by which the others are divided.
const goroutines = "goroutines"

// All returns the workloads in their order. Each call returns new ones.
func All() []*suite.Work {
	all := []*suite.Work{
		spawn(),
		nested(),
		forkJoin(),
		skynets(),
		sleepers(),
		awaitCompleted(),
		suspend(),
		startAndAwait(),
		twinCall(),
		chain(),
		pingPong(),
		blockInGo(),
		blockInSystemCall(),
		blockBesideCPU(),
		handOver(),
		latency(),
		lateness(),
		collecting(),
	}
	all = append(all, variants()...)
	all = append(all, daily()...)
	for _, w := range all {
		w.Targets = targets[w.ID]
	}
	return all
}

// Find returns the workload with that ID.
func Find(id string) (*suite.Work, error) {
	for _, w := range All() {
		if w.ID == id {
			return w, nil
		}
	}
	return nil, fmt.Errorf("workloads: there is no work %q", id)
}
