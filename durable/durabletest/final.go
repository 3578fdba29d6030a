package durabletest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// refusing is a store that fails some writes until it is mended.
type refusing struct {
	stores.Store
	refuses func(r *stores.Record) bool // while it is broken
	sends   func(m stores.Message) bool

	failed chan struct{} // receives a value for each call that has failed, as far as there is room

	mu    sync.Mutex
	err   error // nil: it is mended
	tries int
}

// fails counts a call that fails, and returns its error.
func (s *refusing) fails(is bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !is || s.err == nil {
		return nil
	}
	s.tries++
	select {
	case s.failed <- struct{}{}:
	default:
	}
	return s.err
}

// mend sets the error with which the store fails from now on, and returns how many calls have
// failed so far.
func (s *refusing) mend(err error) (tries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	return s.tries
}

// Swap implements [stores.Store].
func (s *refusing) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := s.fails(s.refuses(r)); err != nil {
		return false, err
	}
	return s.Store.Swap(ctx, r)
}

// Send implements [stores.Store].
func (s *refusing) Send(ctx context.Context, id string, m stores.Message) error {
	if err := s.fails(s.sends != nil && s.sends(m)); err != nil {
		return err
	}
	return s.Store.Send(ctx, id, m)
}

// finalErrors checks what an engine does if the store fails a write: of a checkpoint, and of a
// child. An error that may pass is tried again. One that is final makes the instance stuck, and is
// not tried again before it is resumed.
func finalErrors(t *testing.T, s stores.Store) {
	errPasses := errors.New("the disk is full")
	final := []error{durable.ErrUnstorable, durable.ErrTooLarge, durable.ErrCorrupt}
	for name, refuses := range map[string]func(r *stores.Record) bool{
		"checkpoint": func(r *stores.Record) bool { return r.ID == "checkpoint" && r.Status == durable.Completed },
		"child":      func(r *stores.Record) bool { return r.Version == 0 && r.ID != "child" },
	} {
		store := &refusing{Store: s, refuses: refuses, failed: make(chan struct{}, 10)}
		e := quiet(t, store, durable.Poll(10*time.Millisecond))
		stuck := make(chan error, 10)
		e.OnEvent(func(v durable.Event) {
			if v.Kind == durable.GotStuck {
				stuck <- v.Err
			}
		})
		numbers, families := durable.Serve(e, tallyDurable, struct{}{}), durable.Serve(e, crowdDurable(), struct{}{})
		var h durable.Handle[int]
		var err error
		if name == "child" {
			store.mend(errPasses)
			h, err = families.Start(t.Context(), name, 1)
			require.NoError(t, err)
		} else {
			h, err = numbers.Start(t.Context(), name, 1)
			require.NoError(t, err)
			store.mend(errPasses)
			require.NoError(t, h.Signal(t.Context(), "number", 0))
		}
		for range 3 {
			<-store.failed
		}
		assert.Empty(t, stuck, "what may pass is tried again")
		for _, why := range final {
			tries := store.mend(fmt.Errorf("the store says: %w", why))
			each := 1
			if why == durable.ErrTooLarge {
				each = 2 // what is kept for a rerun is dropped first
			}
			for n := range 3 {
				require.ErrorIs(t, <-stuck, why, "it is tried once, and once more when it is resumed")
				i, err := e.Get(t.Context(), name)
				require.NoError(t, err)
				require.Equal(t, durable.Stuck, i.Status)
				require.Contains(t, i.Reason, "the store says: "+why.Error())
				require.LessOrEqual(t, store.mend(fmt.Errorf("the store says: %w", why)), tries+each*(n+1))
				if n == 2 {
					store.mend(errPasses)
				}
				require.NoError(t, e.Resume(t.Context(), name))
			}
		}
		store.mend(nil)
		n, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		require.NoError(t, e.Shutdown(t.Context()), "it would run what the next engine is to run")
	}
}

// untold checks a child whose outcome the store can never send: its parent gets that as an error.
func untold(t *testing.T, s stores.Store) {
	large := true
	store := &refusing{Store: s, refuses: func(*stores.Record) bool { return false }, err: durable.ErrTooLarge}
	store.sends = func(stores.Message) bool {
		// The first one is too large, and what is sent instead is not.
		defer func() { large = !large }()
		return large
	}
	e := quiet(t, store)
	h, err := durable.Serve(e, crowdDurable(), struct{}{}).Start(t.Context(), "parent", 1)
	require.NoError(t, err)
	_, err = h.Wait(t.Context())
	require.ErrorIs(t, err, durable.ErrTooLarge)
	require.ErrorContains(t, err, "cannot be sent")
	i, err := e.Get(t.Context(), "parent")
	require.NoError(t, err)
	assert.Equal(t, durable.Failed, i.Status)
}
