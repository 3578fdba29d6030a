package listeners_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/internal/listeners"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	var s listeners.Set
	stop := s.Add(func() { fmt.Println("told") })
	s.Tell()
	stop()
	s.Tell()
	// Output: told
}

func TestAListenerMayStopItself(t *testing.T) {
	var s listeners.Set
	told := 0
	var stop func()
	stop = s.Add(func() { told++; stop() })
	defer s.Add(func() { told += 10 })()
	s.Tell()
	s.Tell()
	assert.Equal(t, 21, told)
}

// Its panic must not end a store's writer, and the others are told.
func TestAListenerMayPanic(t *testing.T) {
	var s listeners.Set
	told := 0
	for range 3 {
		s.Add(func() { told++; panic("on purpose") })
	}
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	s.Tell()
	assert.Equal(t, 3, told)
}
