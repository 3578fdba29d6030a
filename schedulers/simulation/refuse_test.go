package simulation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// What Refuse refuses is counted as what a full queue refuses. A machine that continues is
// not refused, and the function is not asked for what is refused in any case.
func TestRefusedWorkIsCounted(t *testing.T) {
	asked := 0
	s := simulation.New(1, simulation.Refuse(func(schedulers.Work) bool { asked++; return asked%2 == 0 }))
	ran := 0
	work := func() do { return do{"work", func(schedulers.Worker) { ran++ }} }
	for i := range 10 {
		err := s.Submit(work(), schedulers.Hint{})
		if i%2 == 1 {
			require.ErrorIs(t, err, schedulers.ErrRejected)
			continue
		}
		require.NoError(t, err)
	}
	require.NoError(t, s.Submit(work(), schedulers.Hint{Flags: schedulers.Resumed}))
	require.ErrorIs(t, s.Submit(nil, schedulers.Hint{}), schedulers.ErrRejected)
	assert.Equal(t, 10, asked)
	require.NoError(t, s.Run())
	m := s.Metrics()
	assert.Equal(t, []uint64{6, 6, 6}, []uint64{uint64(ran), m.Completed, m.Refused})
	require.NoError(t, s.Shutdown(t.Context()))
	require.ErrorIs(t, s.Submit(work(), schedulers.Hint{}), schedulers.ErrShutdown)
	assert.Equal(t, 10, asked)
}
