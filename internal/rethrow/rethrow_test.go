package rethrow

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAPanicContinuesWithItsValue(t *testing.T) {
	assert.PanicsWithValue(t, "broken", func() { From(&job.PanicError{Value: "broken"}) })
}

func TestAGoexitContinues(t *testing.T) {
	returned, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		From(job.ErrGoexit)
		returned = true
	}()
	<-ended
	assert.False(t, returned)
}

// A function may return an error that wraps the panic or Goexit of another job.
func TestAReturnedErrorIsNotRaised(t *testing.T) {
	for _, err := range []error{
		nil, errors.New("an error"),
		fmt.Errorf("wrapped: %w", job.ErrGoexit), fmt.Errorf("wrapped: %w", &job.PanicError{Value: "broken"}),
	} {
		assert.NotPanics(t, func() { From(err) })
	}
}
