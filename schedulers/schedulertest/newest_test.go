package schedulertest_test

import (
	"testing"

	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestNewestConforms(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return NewNewest() })
}
