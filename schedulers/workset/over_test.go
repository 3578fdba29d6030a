package workset_test

import (
	"testing"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/schedulertest"
	"github.com/movenext/movenext/schedulers/workset"
)

func TestWhatIsBeneathReachesTheWorkAbove(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return workset.New(s) })
}
