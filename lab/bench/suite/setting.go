package suite

import (
	"runtime"
	"sync"
	"time"
)

// Setting has the parameters that may differ between two runs of the same contender.
type Setting struct {
	Workers   int           `json:"workers,omitempty"`   // width of pools; 0: their default
	Producers int           `json:"producers,omitempty"` // goroutines that start work; <1: one
	Nap       time.Duration `json:"nap,omitempty"`       // how long sleepers sleep
}

// Width returns Workers, or GOMAXPROCS where it is 0: for libraries whose pools
// have no default.
func (s Setting) Width() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Produce splits n operations among the producers: each calls produce with its part,
// on a goroutine of its own if there are several. It blocks until all have returned.
func (s Setting) Produce(n int, produce func(from, to int)) {
	p := max(1, s.Producers)
	if p == 1 {
		produce(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := range p {
		wg.Go(func() { produce(n*i/p, n*(i+1)/p) })
	}
	wg.Wait()
}
