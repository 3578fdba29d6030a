package ambient_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/schedulers/simulation"
)

func TestOfSchedulersThatStandInTheLatestCounts(t *testing.T) {
	usual := ambient.Default()
	first, second := simulation.New(1), simulation.New(2)
	endFirst := ambient.StandIn(first)
	assert.Same(t, first, ambient.Default().Scheduler)
	endSecond := ambient.StandIn(second)
	endFirst()
	assert.Same(t, second, ambient.Default().Scheduler, "the one that is left")
	ambient.SetDefault(first)
	assert.Same(t, second, ambient.Default().Scheduler)
	ambient.SetDefault(nil)
	endSecond()
	assert.Same(t, usual, ambient.Default())
}
