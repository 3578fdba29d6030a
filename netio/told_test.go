//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// A socket's event lets its machine continue without a submission of the machine itself.
func TestTheLifeOfAMachineThatReadsIsTold(t *testing.T) {
	for name, end := range map[string]bool{"at its home": false, "when its home has ended": true} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var kinds []inspect.EventKind
			waits := ""
			defer inspect.Observe(func(e inspect.Event) {
				mu.Lock()
				defer mu.Unlock()
				kinds = append(kinds, e.Kind)
				waits += e.Waits
			})()
			p := pool.New()
			a, b := pipe(t, "tcp")
			j := readTwoAsync(schedulers.With(context.Background(), p), b)
			if end {
				require.NoError(t, p.Shutdown(context.Background()))
			}
			_, err := a.Write([]byte("data"))
			require.NoError(t, err)
			<-j.Done()
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, []inspect.EventKind{inspect.Made, inspect.Started, inspect.Suspended, inspect.Resumed, inspect.Ended}, kinds)
			assert.Contains(t, waits, "netio")
			require.NoError(t, p.Shutdown(context.Background()))
		})
	}
}
