package priority_test

import (
	"testing"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestWhatIsBeneathReachesTheWorkAbove(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return priority.New(s, 3) })
}
