package eventloop_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return eventloop.Start() })
}
