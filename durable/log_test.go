package durable_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
)

// raging is a handler that panics.
type raging struct {
	slog.Handler
	calls *atomic.Int64
}

func (raging) Enabled(context.Context, slog.Level) bool { return true }

func (r raging) Handle(context.Context, slog.Record) error { r.calls.Add(1); panic("no disk") }

func TestALoggerThatPanicsHarmsNoEngine(t *testing.T) {
	in(t, func(t *testing.T) {
		var calls atomic.Int64
		v, err := outcome(t, scripted{step: func(context.Context) (int, error) { return 7, nil }},
			durable.Log(slog.New(raging{calls: &calls})))
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.NotZero(t, calls.Load())
	})
}
