// How many workers are best for work that waits for a disk? Up to a number, more workers
// have a higher throughput; beyond it they get in each other's way. A pool cannot see
// the disk, but it sees the throughput, and climbs to the top of that hill.
//
// The program shows the climb as a curve. The disk is a model with its own clock, so each run is
// the same; the decisions are those of a pool, which knows only its samples. The test next to it
// lets a real pool climb.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/movenext/movenext/schedulers/pool"
)

const (
	fewest, most = 2, 60
	interval     = 50 * time.Millisecond // between two samples
)

// readTime is the duration of a read if so many users share a disk that serves best of them well:
// with more users, the throughput falls. random varies it by a half.
func readTime(users, best int, random *rand.Rand) time.Duration {
	crowd := float64(users) / float64(best)
	mean := float64(5*time.Millisecond) * (1 + crowd*crowd)
	return time.Duration(mean * (0.5 + random.Float64()))
}

// model is the disk and its workers. Time is the time at which the next read ends.
type model struct {
	best    int
	random  *rand.Rand
	reading ends // one for each worker
}

// run lets workers read until the given time, and returns how many reads have ended.
// Workers in excess leave after their read.
func (m *model) run(now, until time.Duration, workers int) (reads int) {
	for len(m.reading) < workers {
		m.read(now)
	}
	for len(m.reading) > 0 && m.reading[0] <= until {
		ended := heap.Pop(&m.reading).(time.Duration)
		if reads++; len(m.reading) < workers {
			m.read(ended)
		}
	}
	return reads
}

func (m *model) read(now time.Duration) {
	heap.Push(&m.reading, now+readTime(len(m.reading)+1, m.best, m.random))
}

// part is the summary of a quarter of a second.
type part struct {
	workers int // on average
	reads   int // in a second at this rate
}

const parts = 4 // of a second

// climb lets the climber search for the best number for so many seconds. At half of the
// time the disk becomes another one.
func climb(best, then, seconds int) (curve []part) {
	m := &model{best: best, random: rand.New(rand.NewPCG(1, 2))}
	decide := pool.Replay(fewest, most)
	const samples = int(time.Second/interval) / parts
	workers := fewest
	var now time.Duration
	for i := range seconds * parts {
		if i == seconds*parts/2 {
			m.best = then
		}
		sum := part{}
		for range samples {
			reads := m.run(now, now+interval, workers)
			now += interval
			sum.workers += workers
			sum.reads += reads
			workers = decide(pool.Sample{Workers: workers, Completed: reads, Elapsed: interval})
		}
		curve = append(curve, part{sum.workers / samples, sum.reads * parts})
	}
	return curve
}

func main() {
	const seconds = 40
	fmt.Println("the disk is best with 24 readers; the climber begins with", fewest)
	fmt.Println("seconds  workers                              reads a second")
	for i, p := range climb(24, 8, seconds) {
		half := i % (seconds * parts / 2)
		if i > 0 && half == 0 {
			fmt.Println("now the disk is best with 8")
		}
		if half < 2*parts || half%(3*parts) == 0 { // the climb in detail, then its result
			fmt.Printf("%7.2f %4d %-34s %5d\n", float64(i+1)/parts, p.workers, strings.Repeat("#", p.workers), p.reads)
		}
	}
}
