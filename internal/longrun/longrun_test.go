package longrun_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/longrun"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const limit = 100 * time.Millisecond

func TestAFunctionIsKnownAfterALongRun(t *testing.T) {
	f := longrun.New(limit)
	assert.False(t, f.Has(1))
	f.Took(1, limit)
	assert.False(t, f.Has(1), "the limit itself is not long")
	f.Took(1, limit+1)
	assert.True(t, f.Has(1))
	assert.False(t, f.Has(2))
	f.Took(2, time.Hour)
	assert.True(t, f.Has(1) && f.Has(2))
}

func TestAFunctionIsForgottenAfterShortRunsInARow(t *testing.T) {
	f := longrun.New(limit)
	f.Took(1, time.Second)
	f.Took(2, time.Second)
	short := func(n int) {
		for range n {
			f.Took(1, limit/2-1)
		}
	}
	short(7)
	f.Took(1, time.Second)
	short(7)
	assert.True(t, f.Has(1), "a long run in between begins the row anew")
	f.Took(1, limit/2)
	f.Took(1, limit)
	assert.True(t, f.Has(1), "runs of more than half the limit say nothing")
	short(1)
	assert.False(t, f.Has(1))
	assert.True(t, f.Has(2))
	short(20)
	f.Took(1, time.Second)
	assert.True(t, f.Has(1), "and may be learned again")
}

func TestNothingLearnsNothing(t *testing.T) {
	var f *longrun.Functions
	f.Took(1, time.Hour)
	assert.False(t, f.Has(1))
}

// closure must not be inlined: a copy of a literal in a caller is another function.
//
//go:noinline
func closure(n int) func() int { return func() int { return n } }

func TestClosuresOfOneLiteralAreOneFunction(t *testing.T) {
	assert.Equal(t, longrun.Code(closure(1)), longrun.Code(closure(2)))
	assert.NotEqual(t, longrun.Code(closure(1)), longrun.Code(func() int { return 1 }))
	assert.Zero(t, longrun.Code(nil))
	assert.Zero(t, longrun.Code(7))
	assert.Zero(t, longrun.Code((func())(nil)))
}

func TestManyLearnAtOnce(t *testing.T) {
	f := longrun.New(limit)
	var all sync.WaitGroup
	for code := range uintptr(50) {
		all.Go(func() {
			for range 100 {
				f.Took(code, time.Second)
				assert.True(t, f.Has(code))
			}
		})
	}
	all.Wait()
	for code := range uintptr(50) {
		assert.True(t, f.Has(code))
	}
}

func Example() {
	f := longrun.New(100 * time.Millisecond)
	render := longrun.Code(func() {})
	f.Took(render, 30*time.Millisecond)
	fmt.Println(f.Has(render))
	f.Took(render, 300*time.Millisecond)
	fmt.Println(f.Has(render))
	// Output:
	// false
	// true
}
