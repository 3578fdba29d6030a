package pool

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	for name, opts := range map[string][]Option{
		"default":    nil,
		"one worker": {Workers(1, 1)},
		"eight":      {Workers(8, 8)},
	} {
		t.Run(name, func(t *testing.T) {
			schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return New(opts...) })
		})
	}
}
