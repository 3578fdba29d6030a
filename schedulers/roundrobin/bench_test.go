package roundrobin_test

import (
	"context"
	"sync"
	"testing"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// done is a Work that only reports that it has run.
type done struct{ *sync.WaitGroup }

func (d done) Run(schedulers.Worker) { d.Done() }

func (d done) Abandon(error) { d.Done() }

// BenchmarkShim measures the cost of the shim: the same items are submitted directly to the
// pool, through one queue, and through a hundred.
func BenchmarkShim(b *testing.B) {
	run := func(b *testing.B, of func(i int) schedulers.Scheduler) {
		b.ReportAllocs()
		var left sync.WaitGroup
		left.Add(b.N)
		for i := range b.N {
			if err := of(i).Submit(done{&left}, schedulers.Hint{}); err != nil {
				b.Fatal(err)
			}
		}
		left.Wait()
	}
	b.Run("pool", func(b *testing.B) {
		p := pool.New()
		run(b, func(int) schedulers.Scheduler { return p })
	})
	for name, n := range map[string]int{"queue": 1, "queues": 100} {
		b.Run(name, func(b *testing.B) {
			s := roundrobin.New(pool.New())
			var queues []*roundrobin.Queue
			for range n {
				q, err := s.CreateQueue()
				if err != nil {
					b.Fatal(err)
				}
				queues = append(queues, q)
			}
			run(b, func(i int) schedulers.Scheduler { return queues[i%n] })
			if err := s.Shutdown(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
