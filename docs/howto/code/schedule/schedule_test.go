package schedule_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/howto/code/schedule"
	"github.com/movenext/movenext/durable"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The store outlives the first engine, and nothing runs for three days.
func TestAScheduleContinuesInAnotherProcessAndSendsWhatWasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		store, began := durable.NewMemory(), time.Now()
		var mu sync.Mutex
		var sent []time.Duration // since the beginning, each with the time for which it is
		reports := &schedule.Reports{Send: func(at time.Time) error {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, time.Since(began), at.Sub(began))
			return nil
		}}
		request := schedule.Daily{First: began.Add(day), Every: day}

		first, err := durable.Open(t.Context(), store)
		require.NoError(t, err)
		_, err = durable.Serve(first, schedule.DailyDurable, reports).Start(t.Context(), "daily report", request)
		require.NoError(t, err)
		time.Sleep(day + day/2)
		require.NoError(t, first.Shutdown(t.Context()))
		time.Sleep(3 * day)

		second, err := durable.Open(t.Context(), store)
		require.NoError(t, err)
		daily := durable.Serve(second, schedule.DailyDurable, reports)
		h, err := daily.Start(t.Context(), "daily report", request) // it exists: nothing is started
		require.NoError(t, err)
		time.Sleep(day)
		require.NoError(t, second.Cancel(t.Context(), "daily report"))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
		require.NoError(t, second.Shutdown(context.Background()))

		assert.Equal(t, []time.Duration{day, day, 4*day + day/2, 2 * day, 4*day + day/2, 3 * day, 4*day + day/2, 4 * day, 5 * day, 5 * day}, sent)
	})
}
