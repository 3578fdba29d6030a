// Package pullcontext has the context of a stream's function while one consumer pulls values
// from it. The consumer can end that context, and so whatever the function waits for.
//
// It is tempting to use context.WithCancel. The context would have to be canceled when the pull
// is over, since otherwise the parent would keep it for as long as the parent lives. But what
// the function has started with it and handed out, such as jobs, continues after the stream's
// end, and has to notice the parent's end. So this context counts what is registered with it:
// when the pull is over and nothing is registered, it takes back its own registrations, and
// does not end. A goroutine that called Done before that, and registered nothing, must not
// outlive the pull: it would not notice the parent's end.
package pullcontext

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
)

// Context is such a context. It ends when the function's own context ends, when that of the
// consumer ends, or when the consumer leaves. Its values are those of the function's context.
type Context struct {
	own      context.Context // of the function
	consumer context.Context // or nil

	mu         interleave.Mutex
	done       chan struct{} // nil: not needed yet
	err        error
	registered linked.List[registration]
	linked     bool     // it is registered with its parents, or about to be
	parents    []func() // these take the registrations back
	over       bool     // see the package
	late       bool     // Done was called when it was over: the registrations stay until the end
}

// registration is a function that has to be called at the end.
type registration struct {
	links linked.Node[registration]
	f     func()
}

var _ context.Context = (*Context)(nil)

// New returns the context of a function that was called with own. A consumer without a context
// passes nil.
func New(own, consumer context.Context) *Context {
	if own == nil {
		own = context.Background()
	}
	return &Context{own: own, consumer: consumer}
}

// Leave ends the context. It does not block.
func (c *Context) Leave() { c.end(context.Canceled) }

// Over records that the stream has ended. The context does not end.
func (c *Context) Over() {
	c.mu.Lock()
	c.over = true
	parents := c.unlink()
	c.mu.Unlock()
	call(parents)
}

// Deadline implements context.Context.
func (c *Context) Deadline() (time.Time, bool) {
	first, ok := c.own.Deadline()
	if c.consumer != nil {
		if d, has := c.consumer.Deadline(); has && (!ok || d.Before(first)) {
			return d, true
		}
	}
	return first, ok
}

// Err implements context.Context.
func (c *Context) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.parentErr()
}

func (c *Context) parentErr() error {
	err := c.own.Err()
	if err == nil && c.consumer != nil {
		err = c.consumer.Err()
	}
	return err
}

// Value implements context.Context.
func (c *Context) Value(key any) any { return c.own.Value(key) }

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	done := c.done
	c.late = c.late || c.over
	link := c.needsLink()
	c.mu.Unlock()
	if link {
		c.link()
	}
	return done
}

// needsLink reports whether the caller has to call link; mu is held.
func (c *Context) needsLink() bool {
	link := c.err == nil && !c.linked
	c.linked = true
	return link
}

// AfterFunc is what package context uses instead of a goroutine to learn of the end. f is
// called without a lock, and not before AfterFunc has returned.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	c.Done()
	r := &registration{f: f}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		interleave.Go(f)
		return func() bool { return false }
	}
	c.registered.Add(&r.links, r)
	link := c.needsLink() // Over may have come since Done
	c.mu.Unlock()
	if link {
		c.link()
	}
	return func() bool { return c.stop(r) }
}

func (c *Context) stop(r *registration) bool {
	c.mu.Lock()
	was := r.links.In()
	if was {
		c.registered.Remove(&r.links)
	}
	parents := c.unlink()
	c.mu.Unlock()
	call(parents)
	return was
}

// link registers the context with its parents. It holds no lock, since they may be a user's.
func (c *Context) link() {
	if err := c.parentErr(); err != nil {
		c.end(err)
		return
	}
	var parents []func()
	for _, p := range []context.Context{c.own, c.consumer} {
		if p != nil && p.Done() != nil {
			stop := context.AfterFunc(p, func() { c.parentEnded(p) })
			parents = append(parents, func() { stop() })
		}
	}
	c.mu.Lock()
	if c.err == nil {
		c.parents = append(c.parents, parents...)
		parents = c.unlink()
	}
	c.mu.Unlock()
	call(parents)
}

// parentEnded is called when p has ended. A method of p that panics, or calls runtime.Goexit, must
// not keep the end from this context.
func (c *Context) parentEnded(p context.Context) {
	err := context.Canceled
	defer func() {
		_ = recover() // returned or not, p has ended
		c.end(err)
	}()
	if reason := p.Err(); reason != nil {
		err = reason
	}
}

// unlink returns the functions that take back the registrations with the parents, if those are
// not needed any more; mu is held.
func (c *Context) unlink() (parents []func()) {
	if !c.over || c.late || c.err != nil || c.registered.Len() > 0 {
		return nil
	}
	parents, c.parents, c.linked = c.parents, nil, false
	return parents
}

func (c *Context) end(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	var all []func()
	for r := c.registered.First(); r != nil; r = c.registered.First() {
		c.registered.Remove(&r.links)
		all = append(all, r.f)
	}
	parents := c.parents
	c.parents = nil
	c.mu.Unlock()
	call(parents)
	call(all)
}

func call(all []func()) {
	for _, f := range all {
		f()
	}
}
