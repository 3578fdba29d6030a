package coord

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// A model is a primitive written without concurrency and regardless of cost: a slice of
// requests, searched from the front after each step. A random sequence of operations is
// applied to both, and the outcome of each request is compared after each operation. A
// failure names the seed and the step.

const (
	modelRuns  = 25
	modelSteps = 120
)

// request is one call of the model.
type request struct {
	id  int
	arg int
	out string // "waits" until it is decided
}

const (
	waits  = "waits"
	gaveUp = "gave up"
)

// requests are the calls of a model in the order in which they came.
type requests []*request

func (r *requests) add(arg int) *request {
	q := &request{id: len(*r), arg: arg, out: waits}
	*r = append(*r, q)
	return q
}

// waiting returns the waiting requests, in order.
func (r requests) waiting() []*request {
	return slices.DeleteFunc(slices.Clone(r), func(q *request) bool { return q.out != waits })
}

// run is one run of a model against the primitive.
type run struct {
	*rand.Rand
	t       *testing.T
	log     []string
	real    []func() string // what became of the request of that number
	cancels []context.CancelFunc
}

// outcomeOf returns the outcome of a job in the words of a model.
func outcomeOf[T any](j *job.Job[T]) string {
	switch j.Status() {
	case job.WaitingForActivation:
		return waits
	case job.Canceled:
		return gaveUp
	case job.Faulted:
		return j.Err().Error()
	default:
		v, _ := j.GetResult()
		return fmt.Sprint("got ", v)
	}
}

// did records the primitive's job for the same request as request number len(real) of
// the model. ctx made its context before.
func did[T any](r *run, j *job.Job[T]) {
	r.real = append(r.real, func() string { return outcomeOf(j) })
}

func (r *run) ctx() context.Context {
	ctx, cancel := context.WithCancel(endless)
	r.cancels = append(r.cancels, cancel)
	return ctx
}

func (r *run) notef(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }

// giveUp makes a random waiting request give up, if there is one.
func (r *run) giveUp(all requests) {
	if w := all.waiting(); len(w) > 0 {
		q := w[r.IntN(len(w))]
		r.notef("%d gives up", q.id)
		q.out = gaveUp
		r.cancels[q.id]()
		synctest.Wait()
	}
}

// compare requires that each request has the same outcome in the primitive and in the model.
func (r *run) compare(all requests) {
	r.t.Helper()
	for _, q := range all {
		if got := r.real[q.id](); got != q.out {
			require.Equal(r.t, q.out, got, "request %d after %v", q.id, r.log)
		}
	}
}

// onModels does some runs, each in its own bubble.
func onModels(t *testing.T, steps func(r *run)) {
	t.Helper()
	for seed := range uint64(modelRuns) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &run{Rand: rand.New(rand.NewPCG(seed, 1)), t: t}
				steps(r)
				for _, cancel := range r.cancels {
					cancel()
				}
			})
		})
	}
}

func TestASemaphoreDoesWhatItsModelDoes(t *testing.T) {
	onModels(t, func(r *run) {
		size := 1 + r.IntN(5) // one permit: it is a mutex
		s := NewSemaphore(int64(size))
		var all requests
		held := 0
		for range modelSteps {
			switch n := 1 + r.IntN(size); r.IntN(4) {
			case 0, 1:
				r.notef("acquire %d", n)
				did(r, s.AcquireAsync(r.ctx(), int64(n)))
				all.add(n)
			case 2:
				if n = min(n, held); n > 0 {
					r.notef("release %d", n)
					s.Release(int64(n))
					held -= n
				}
			default:
				r.giveUp(all)
			}
			for _, q := range all.waiting() {
				if held+q.arg > size {
					break
				}
				held += q.arg
				q.out = "got {}"
			}
			r.compare(all)
			require.EqualValues(r.t, size-held, s.Free())
			require.Equal(r.t, len(all.waiting()) == 0 && held < size, tryAcquire(s))
		}
	})
}

// tryAcquire reports whether a permit is available now, without keeping it.
func tryAcquire(s *Semaphore) bool {
	if !s.TryAcquire(1) {
		return false
	}
	s.Release(1)
	return true
}

func TestAnRWMutexDoesWhatItsModelDoes(t *testing.T) {
	onModels(t, func(r *run) {
		var (
			m             RWMutex
			all           requests
			readers       int
			writing       bool
			writer, reads = 1, 0 // values of a request's arg
		)
		for range modelSteps {
			switch r.IntN(6) {
			case 0, 1:
				r.notef("read")
				did(r, m.RLockAsync(r.ctx()))
				all.add(reads)
			case 2:
				r.notef("write")
				did(r, m.LockAsync(r.ctx()))
				all.add(writer)
			case 3, 4:
				switch {
				case writing:
					r.notef("unlock")
					m.Unlock()
					writing = false
				case readers > 0:
					r.notef("runlock")
					m.RUnlock()
					readers--
				}
			default:
				r.giveUp(all)
			}
			for _, q := range all.waiting() {
				if writing || q.arg == writer && readers > 0 {
					break
				}
				if q.arg == writer {
					writing = true
				} else {
					readers++
				}
				q.out = "got {}"
			}
			r.compare(all)
			require.Equal(r.t, readers, m.readers)
			require.Equal(r.t, writing, m.writing)
		}
	})
}
