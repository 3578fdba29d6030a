package idpool

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNumbersAreUsedAgain(t *testing.T) {
	var p IDs
	require.Equal(t, 1, p.Take())
	require.Equal(t, 2, p.Take())
	p.Give(1)
	assert.Equal(t, 1, p.Take())
	assert.Equal(t, 3, p.Take())
}

func TestNoTwoHaveTheSameNumber(t *testing.T) {
	var p IDs
	var mu sync.Mutex
	held := map[int]bool{}
	var takers sync.WaitGroup
	for range 8 {
		takers.Go(func() {
			for range 500 {
				id := p.Take()
				mu.Lock()
				assert.False(t, held[id])
				assert.LessOrEqual(t, id, 8)
				held[id] = true
				mu.Unlock()
				mu.Lock()
				held[id] = false
				mu.Unlock()
				p.Give(id)
			}
		})
	}
	takers.Wait()
}
