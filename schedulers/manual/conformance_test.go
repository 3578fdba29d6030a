package manual_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConformance steps from a separate goroutine. The timers are hidden from the suite,
// which uses real time, while the scheduler's clock shows another one.
func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return &stepped{inner: manual.New()} })
}

// stepped is a manual scheduler with a goroutine that steps it while work is queued.
type stepped struct {
	inner *manual.Scheduler

	mu       sync.Mutex
	stepping bool
}

func (s *stepped) Submit(w schedulers.Work, from schedulers.Hint) error {
	err := s.inner.Submit(w, from)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.stepping {
			s.stepping = true
			go s.step()
		}
	}
	return err
}

func (s *stepped) step() {
	ended := false
	defer func() {
		if !ended {
			go s.step() // work has called runtime.Goexit
		}
	}()
	for {
		s.inner.RunAll()
		s.mu.Lock()
		if s.inner.Len() == 0 {
			s.stepping = false
			ended = true
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

func (s *stepped) Shutdown(ctx context.Context) error { return s.inner.Shutdown(ctx) }

func (s *stepped) Metrics() schedulers.Metrics { return s.inner.Metrics() }

func (s *stepped) Snapshot() []schedulers.Work { return s.inner.Snapshot() }

func (s *stepped) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return s.inner.MayRunInPlace(w, by)
}

// fickle is a context whose method Err panics.
type fickle struct{ context.Context }

func (fickle) Err() error { panic("on purpose") }

// The drain of a Shutdown whose context can end is on a goroutine that the context cannot harm.
func TestADrainUnderAContextThatPanicsEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, ran := manual.New(), false
	require.NoError(t, s.Submit(funcWork(func() { ran = true }), schedulers.Hint{}))
	require.NoError(t, s.Shutdown(fickle{ctx}))
	assert.True(t, ran)
}

type funcWork func()

func (f funcWork) Run(schedulers.Worker) { f() }
func (funcWork) Abandon(error)           {}
