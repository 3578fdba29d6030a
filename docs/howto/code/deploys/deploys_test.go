package deploys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/howto/code/deploys"
	"github.com/movenext/movenext/docs/howto/code/deploys/effects"
	"github.com/movenext/movenext/durable"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRollingDeploysStrandNoOrder(t *testing.T) {
	const orders = 1000
	shop := effects.New()
	stuck, err := deploys.Roll(t.Context(), durable.NewMemory(), shop, orders)
	require.NoError(t, err)
	assert.Zero(t, stuck)
	sum := 0
	for _, cents := range shop.Charged() {
		sum += cents
	}
	assert.Len(t, shop.Charged(), 2*orders)
	assert.Equal(t, 100*orders*(orders-1), sum, "each order pays its price once, whatever the version")
	assert.NotZero(t, shop.Mailed(), "version 3 has ended some")
}
