package job

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// The completer of a job may hold locks, and knows nothing of the continuations. A full
// queue must not block the completer, make it run continuations, or lose them.
func TestACompleterNeitherWaitsForRoomNorRunsContinuations(t *testing.T) {
	for name, full := range map[string]pool.WhenFull{"Reject": pool.Reject, "Block": pool.Block, "CallerRuns": pool.CallerRuns} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(pool.Workers(1, 1), pool.AddAfter(0), pool.QueueLimit(1, full))
				ctx := schedulers.With(t.Context(), p)
				source, gate, began := NewSource[int](), NewSource[int](), make(chan struct{})
				busy := Run(ctx, func(context.Context) (int, error) {
					close(began)
					<-gate.Job().Done() // does not notify the pool, which stays at one worker
					return 0, nil
				})
				<-began
				queued := Run(ctx, func(context.Context) (int, error) { return 0, nil }) // full
				early := ContinueWith(ctx, source.Job(), add(1))

				assert.True(t, source.TrySetResult(1), "returns although there is no room")
				late := ContinueWith(ctx, source.Job(), add(2))
				assert.Equal(t, Scheduled, early.Status(), "not run by the completer")
				assert.Equal(t, Scheduled, late.Status(), "nor by a late submitter")

				gate.TrySetResult(0)
				for _, j := range []*Job[int]{busy, queued, early, late} {
					_, err := j.Wait(t.Context())
					assert.NoError(t, err)
				}
				require.NoError(t, p.Shutdown(t.Context()))
			})
		})
	}
}
