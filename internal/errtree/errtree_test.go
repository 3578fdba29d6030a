package errtree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errFlush = errors.New("flush")

// list is an error that cannot be compared.
type list []string

func (l list) Error() string { return fmt.Sprint([]string(l)) }

// claims says by its method Is that it is a cancellation, whatever it wraps.
type claims struct{ inner error }

func (claims) Error() string            { return "claims" }
func (claims) Is(target error) bool     { return target == context.Canceled }
func (c claims) Unwrap() error          { return c.inner }
func (c several) Error() string         { return "several" }
func (c several) Unwrap() (all []error) { return c }

type several []error

func TestAnErrorIsJudgedByAllOfItsLeaves(t *testing.T) {
	end := context.Canceled
	rows := []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"the target", end, true},
		{"another error", errFlush, false},
		{"wrapped", fmt.Errorf("at work: %w", end), true},
		{"another one, wrapped", fmt.Errorf("at work: %w", errFlush), false},
		{"joined with itself", errors.Join(end, end), true},
		{"joined with a failure", errors.Join(end, errFlush), false},
		{"after a failure", errors.Join(errFlush, end), false},
		{"deep in a tree", fmt.Errorf("x: %w", errors.Join(end, fmt.Errorf("y: %w, %w", end, errFlush))), false},
		{"deep in a tree without a failure", fmt.Errorf("x: %w", errors.Join(end, fmt.Errorf("y: %w, %w", end, end))), true},
		{"a leaf that says it", claims{}, true},
		{"a wrapper that says it, of another error", claims{errFlush}, false},
		{"a wrapper that says it, of the target", claims{end}, true},
		{"a tree without leaves", several{}, false},
		{"a tree with a nil", several{nil, end}, true},
		{"a tree of nils", several{nil, nil}, false},
	}
	for _, row := range rows {
		assert.Equal(t, row.want, ConsistsOf(row.err, end), row.name)
	}
}

func TestOneOfSeveralTargetsIsEnoughForEachLeaf(t *testing.T) {
	both := errors.Join(context.Canceled, io.EOF)
	assert.False(t, ConsistsOf(both, context.Canceled))
	assert.True(t, ConsistsOf(both, context.Canceled, io.EOF))
	assert.False(t, ConsistsOf(both))
	assert.True(t, ConsistsOf(both, both), "a target may be a tree")
	assert.True(t, ConsistsOf(fmt.Errorf("%w: %w", io.EOF, both), io.EOF, both))
	assert.False(t, ConsistsOf(io.EOF, nil, both))
}

func TestTargetsThatCannotBeComparedAreEqualByTheirContents(t *testing.T) {
	cause := list{"a", "b"}
	assert.True(t, ConsistsOf(list{"a", "b"}, cause))
	assert.True(t, ConsistsOf(fmt.Errorf("%w: %w", context.Canceled, cause), context.Canceled, cause))
	assert.False(t, ConsistsOf(list{"a"}, cause))
	assert.False(t, ConsistsOf(errFlush, cause))
	assert.False(t, ConsistsOf(errors.New("flush"), errFlush), "equal texts are not the same error")
}
