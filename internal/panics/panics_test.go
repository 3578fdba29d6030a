package panics

import (
	"errors"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type mixed struct {
	name  string
	parts []int
	any   any
}

func TestEachValueIsTheSameAsItselfAndNoOther(t *testing.T) {
	parts, err := []int{1, 2, 3}, errors.New("disk on fire")
	m, f := map[int]int{1: 1}, func() {}
	values := []any{
		nil, 1, int8(1), "one", err, errors.New("disk on fire"),
		math.NaN(), float32(math.Inf(1)), cmplx.NaN(), complex64(1i),
		parts, parts[:2], []int{1, 2, 3}, []int(nil), m, map[int]int{1: 1}, f, func() { _ = m },
		[1]any{parts}, [1]any{m}, [1]any{nil},
		mixed{"a", parts, nil}, mixed{"b", parts, nil}, mixed{"a", parts[1:], nil}, mixed{"a", parts, f}, mixed{"a", parts, err},
	}
	for i, a := range values {
		for j, b := range values {
			assert.Equal(t, i == j, Same(a, b), "%v (%T) and %v (%T)", a, a, b, b)
		}
	}
}
