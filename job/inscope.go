package job

import "context"

// InScope calls body with a new [Scope] and its context, waits until all children have ended, and
// returns the scope's error. What body returns counts as a child's outcome; an error cancels the
// children, also in a supervising scope. If body panics or calls runtime.Goexit, the children
// are canceled and waited for, and then it goes on. If ctx has ended, body is not called.
//
// It blocks, and body runs on the calling goroutine; its twin is [InScopeAsync].
func InScope(ctx context.Context, body func(context.Context, *Scope) error, opts ...Option) error {
	s := newScope(ctx, opts, 3)
	if !s.mayBegin(body == nil) {
		return s.Wait()
	}
	returned := false
	defer func() {
		if !returned {
			s.Close() // and the panic, or the Goexit, goes on
		}
	}()
	err := body(s.views.of(s, s.from), s)
	returned = true
	s.bodyReturned(err)
	return s.Wait()
}

// InScopeAsync returns the job of a new [Scope] whose body runs on the scope's scheduler. It ends
// when body and all children have. If body panics, that is the job's error alone. It does
// not block, and is the twin of [InScope].
func InScopeAsync(ctx context.Context, body func(context.Context, *Scope) error, opts ...Option) *Job[Void] {
	s := newScope(ctx, opts, 3)
	if s.mayBegin(body == nil) {
		s.Go(func(ctx context.Context) error {
			s.runBody(ctx, body)
			return nil
		})
	}
	return s.WaitAsync()
}

// mayBegin reports whether the body is to be called; if not, the scope's outcome says why.
func (s *Scope) mayBegin(nilFunc bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.left == 0: // its options make no sense
		return false
	case nilFunc:
		s.note(Faulted, ErrNilFunc)
		return false
	case s.ctx.Err() != nil:
		s.note(Canceled, nil)
		return false
	}
	return true
}

// bodyReturned counts what the body returned as the outcome of a child.
func (s *Scope) bodyReturned(err error) { s.bodyEnded(s.judge(err), err, false) }

// bodyEnded counts the outcome of the body. If it was thrown, by a panic or a Goexit, it is the scope's only error: a
// caller that was suspended raises it again.
func (s *Scope) bodyEnded(final Status, err error, thrown bool) {
	s.mu.Lock()
	if thrown {
		s.body = err
	} else {
		s.note(final, err)
	}
	s.mu.Unlock()
	if final == Faulted {
		s.cancel(err)
	}
}

// runBody calls the body and keeps a panic in it, or a Goexit.
func (s *Scope) runBody(ctx context.Context, body func(context.Context, *Scope) error) {
	returned := false
	defer func() {
		if !returned {
			s.bodyEnded(Faulted, s.crashed(recover()), true)
		}
	}()
	err := body(ctx, s)
	returned = true
	s.bodyReturned(err)
}
