package mutex

import (
	"context"
	"sync"

	"github.com/movenext/movenext/coord"
)

type counter struct {
	sync.RWMutex
	n int
}

//movenext:async
func locks(ctx context.Context, mu *sync.Mutex, c *counter, m *coord.Mutex) error {
	mu.Lock() // want `mu\.Lock blocks the worker; it waits on its goroutine and has no twin; use a coord\.Mutex, which suspends \[mutex\]`
	mu.Unlock()

	c.RLock() // want `c\.RLock blocks the worker; it waits on its goroutine and has no twin; use a coord\.RWMutex, which suspends \[mutex\]`
	c.RUnlock()

	return m.Lock(ctx)
}

func plain(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
}
