package budget_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/budget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestARunHasABudget(t *testing.T) {
	assert.False(t, budget.Spent(0))
	assert.False(t, budget.Spent(1023))
	assert.True(t, budget.Spent(1024))
}

func TestASearchMakesEveryAwaitYield(t *testing.T) {
	outer, inner := budget.EveryAwait(), budget.EveryAwait()
	assert.False(t, budget.Spent(0), "after the yield the run goes on")
	assert.True(t, budget.Spent(1))
	inner()
	assert.True(t, budget.Spent(1), "the outer search is not over")
	outer()
	assert.False(t, budget.Spent(1))
}
