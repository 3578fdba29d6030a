package scaling

import (
	"sync"
	"sync/atomic"
	"time"
)

// Measure measures the costs of this machine in so many rounds; 200 000 take a moment. On one
// core, and on a busy machine, Move is of no use.
func Measure(rounds int) Costs {
	return Costs{Local: local(rounds), Move: moved(rounds)}
}

func local(rounds int) float64 {
	var n atomic.Int64
	return perRound(rounds, func() {
		for range rounds {
			n.Add(1)
		}
	})
}

// moved lets two goroutines write to one line in turn. In a round the line moves twice.
func moved(rounds int) float64 {
	return perRound(rounds, func() {
		var turn atomic.Int64
		player := func(me int64) {
			for n := range int64(rounds) {
				for turn.Load() != 2*n+me {
				}
				turn.Add(1)
			}
		}
		var other sync.WaitGroup
		other.Go(func() { player(1) })
		player(0)
		other.Wait()
	}) / 2
}

// perRound returns the nanoseconds of a round, of the fastest of three attempts.
func perRound(rounds int, f func()) float64 {
	least := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return float64(least) / float64(rounds)
}
