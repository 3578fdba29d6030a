package inspect_test

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
)

func TestACycleMayLeadOverACombinator(t *testing.T) {
	defer inspect.Track()()
	s := newStuck()
	ctx, cancel := context.WithCancel(context.Background())
	lead := s.leadAsync(ctx)
	for inspect.Snapshot().Suspended < 3 {
		runtime.Gosched()
	}
	report := inspect.Snapshot()
	require.Len(t, report.Cycles, 1)
	var waits []string
	for _, l := range report.Cycles[0] {
		waits = append(waits, l.Waits)
	}
	assert.Len(t, waits, 2)
	assert.Contains(t, strings.Join(waits, "; "), "coord.Mutex")
	assert.Contains(t, strings.Join(waits, "; "), "WaitingForActivation")
	cancel()
	<-lead.Done()
}

func TestAChannelIsReportedWithItsLength(t *testing.T) {
	defer inspect.Track()()
	full := coord.NewBounded[int](2, coord.WaitForRoom)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.NoError(t, full.Send(ctx, 1))
	require.NoError(t, full.Send(ctx, 2))
	sending, receiving := sendAsync(ctx, full), sendAsync(ctx, full)
	var text bytes.Buffer
	require.NoError(t, inspect.Dump(&text))
	assert.Contains(t, text.String(), "coord.Channel[int].Send, with 2 of 2 queued")
	cancel()
	<-sending.Done()
	<-receiving.Done()
}
