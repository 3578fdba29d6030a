package statemachine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// suspended is a root that waits for the job that the test registers it with, and ends
// with the outcome of that.
type suspended struct {
	Builder[int]
	Frame
	of *job.Job[int]
}

// Root is for the runtime.
func (m *suspended) Root() (Root, Location) { return m.Chain.Root(&m.Promise.Job), Location{} }

func (m *suspended) MoveNext(r *Run) bool {
	m.State = Finished
	v, err := JobResult(r, m.of)
	m.SetResult(r, v, err)
	return true
}

func suspend() *suspended {
	m := &suspended{}
	promise.InitDependent(&m.Promise.Job)
	m.self, m.State = m, 1
	m.home = ambient.Home(context.Background())
	m.Chain.chain.top = &m.Frame
	return m
}

// registers is the first step of the wait for a job: from its end on the machine belongs to
// another goroutine.
func (m *suspended) registers(t *testing.T, with *suspended) {
	t.Helper()
	m.of = &with.Promise.Job
	m.Chain.chain.node.Prepare(&m.Chain.chain)
	require.True(t, awaiter.Registrar(m.of).Register(&m.Chain.chain.node))
}

// closesCycle is the second step.
func (m *suspended) closesCycle(run *Run) bool {
	return run.closesCycle(&m.Chain.chain, jobcore.Of(m.of), jobcore.Of(&m.Promise.Job))
}

// All register before any of them searches.
func TestMachinesThatCloseACycleAtTheSameMoment(t *testing.T) {
	for _, n := range []int{1, 2, 3, 30} {
		ring := make([]*suspended, n)
		for i := range ring {
			ring[i] = suspend()
		}
		for i, m := range ring {
			m.registers(t, ring[(i+1)%n])
		}
		for i, m := range ring {
			var run Run
			refused := m.closesCycle(&run)
			assert.Equal(t, i == 0, refused, "the first one to look sees all others, and when it has gone there is no cycle")
			if refused {
				(&delivery{&m.Chain.chain, run.failure}).Run(nil)
			}
		}
		for _, m := range ring {
			_, err := m.Promise.Job.Wait(context.Background())
			var c *job.CycleError
			require.ErrorAs(t, err, &c)
			assert.Len(t, c.Jobs, n)
		}
	}
}

// The awaited job ends while the search continues: then the machine is not the
// searcher's.
func TestAMachineThatWasNotifiedBeforeItIsTakenBackContinues(t *testing.T) {
	x, y := suspend(), suspend()
	x.registers(t, y)
	y.registers(t, x)
	y.SetResult(new(Run), 7, nil) // another goroutine ends it, as no machine is
	assert.False(t, x.closesCycle(new(Run)))
	v, err := x.Promise.Job.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
}
