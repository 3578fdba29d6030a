package pool

import "sync"

// block counts one more blocked worker; mu is held.
func (p *Pool) block() {
	p.capacity.blocked++
	p.dispatch()
}

// unblock undoes block; mu is held.
func (p *Pool) unblock() {
	p.capacity.blocked--
	p.updateNeedsDispatch()
}

// Block implements [schedulers.Blocker]: until unblock is called, the pool may
// run one more worker. It never returns an error: a pool that adds workers cannot
// be halted by waits that it knows of.
func (w *worker) Block() (unblock func(), err error) {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.block()
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unblock()
	}), nil
}
