package ums_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers/schedulertest"
	"github.com/movenext/movenext/schedulers/ums"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Most of these schedulers do not check for unmarked blocking. On a busy machine such a check
// may mistake a preempted worker for a blocked one, and for a while more work runs than there
// are threads.
func TestConformance(t *testing.T) {
	for name, make := range map[string]func(testing.TB) schedulertest.Scheduler{
		"one thread":   func(testing.TB) schedulertest.Scheduler { return ums.New(1, ums.Notice(0)) },
		"four threads": func(testing.TB) schedulertest.Scheduler { return ums.New(4, ums.Notice(0)) },
		"newest first": func(testing.TB) schedulertest.Scheduler { return ums.New(2, ums.Notice(0), ums.Decide(&newestFirst{})) },
		"a failing policy": func(testing.TB) schedulertest.Scheduler {
			return ums.New(2, ums.Notice(0), ums.Decide(&failing{after: 50}))
		},
		"with notice": func(testing.TB) schedulertest.Scheduler { return noticing{ums.New(2)} },
	} {
		t.Run(name, func(t *testing.T) { schedulertest.Run(t, make) })
	}
}

// noticing is a scheduler that checks for unmarked blocking, and so promises no limit.
type noticing struct{ *ums.Scheduler }

func (noticing) MaxConcurrency() int { return 0 }

// newestFirst is a policy.
type newestFirst struct{ ready []*ums.Worker }

func (p *newestFirst) Ready(w *ums.Worker) { p.ready = append(p.ready, w) }

func (p *newestFirst) Next() *ums.Worker {
	if len(p.ready) == 0 {
		return nil
	}
	w := p.ready[len(p.ready)-1]
	p.ready = slices.Delete(p.ready, len(p.ready)-1, len(p.ready))
	return w
}

// failing is newestFirst for a given number of calls, and then fails.
type failing struct {
	newestFirst
	after int
	with  func() *ums.Worker // nil: a panic
}

func (p *failing) Next() *ums.Worker {
	if p.after--; p.after >= 0 {
		return p.newestFirst.Next()
	}
	if p.with != nil {
		return p.with()
	}
	panic("a policy without a plan")
}

func TestMoreThreadsThanASystemHas(t *testing.T) {
	assert.Equal(t, 1<<16, ums.New(math.MaxInt).MaxConcurrency())
}
