package durable_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

func TestACountOfManyReadsPages(t *testing.T) {
	store := durable.NewMemory()
	const n = 20_001
	for i := range n {
		_, err := store.Swap(t.Context(), &stores.Record{ID: fmt.Sprint(i), Function: "f", Status: durable.Waiting})
		require.NoError(t, err)
	}
	e := opened(t, store, durable.Client())
	for f, want := range map[durable.Status]int{"": n, durable.Waiting: n, durable.Stuck: 0} {
		got, err := e.Count(t.Context(), durable.Filter{Status: f, Limit: 1})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := e.Count(t.Context(), durable.Filter{After: strings.Repeat("x", durable.MaxText+1)})
	require.ErrorIs(t, err, durable.ErrUnstorable)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Count(ended, durable.Filter{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestAPeriodHasItsFirstMomentAndNotItsLast(t *testing.T) {
	at := time.Unix(100, 0)
	for _, c := range []struct {
		period durable.Period
		want   bool
	}{
		{durable.Period{}, true},
		{durable.Period{From: at}, true},
		{durable.Period{From: at.Add(1)}, false},
		{durable.Period{Until: at}, false},
		{durable.Period{Until: at.Add(1)}, true},
		{durable.Period{From: at, Until: at}, false},
	} {
		assert.Equal(t, c.want, c.period.Contains(at), "%+v", c.period)
	}
	assert.True(t, durable.Period{}.Contains(time.Time{}))
	assert.False(t, durable.Period{Until: at}.Contains(time.Time{}), "it is no time")
}

func TestAChildIsRefusedWithLabelsThatCannotBeStored(t *testing.T) {
	e := opened(t, durable.NewMemory())
	f := sumDurable
	f.New = func(struct{}, struct{}) gen.Frame { return &mislabeled{} }
	h, err := durable.Serve(e, f, struct{}{}).Start(t.Context(), "a", struct{}{})
	require.NoError(t, err)
	_, err = h.Wait(t.Context())
	require.ErrorIs(t, err, durable.ErrUnstorable)
}

// mislabeled is a function that has a child with a label that is not UTF-8.
type mislabeled struct{ sumFrame }

func (f *mislabeled) MoveNext(ctx context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return gen.All[durable.Child](t, 1, durable.Call(tallyDurable, struct{}{}, 1, durable.Labels(map[string]string{"name": "\xff"})))
	}
	return f.sumFrame.MoveNext(ctx, t)
}
