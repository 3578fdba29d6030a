package natsstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Taking
//
// The index tells each worker which instances are due, so several workers would try to run the
// same instance. Therefore a taker writes a claim first: a key that names the instance and its
// revision, which only one of them can create. Claims are in memory, and only an optimisation:
// without one, two workers load an instance, and one of them wins the swap. A claim is void with
// the next revision of its instance. No claim is written while, according to the index, no other
// worker lives.
//
// Then the instance is read, unless this process has written the revision and still has it. If the
// index is behind, the instance may have changed; such an instance is not taken.
//
// There are three traces of a taker that may have died: a claim that has run out, an instance that
// was due when the store was opened, and one that this process has taken before. Only then the
// taking is counted in the entry, since that is a write. It makes a revision, which is claimed in
// turn.

// claiming is the number of claims in progress at a time.
const claiming = 32

// Take implements [stores.Store].
func (s *Store) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx); err != nil || len(t.Functions) == 0 {
		return nil, time.Time{}, err
	}
	if err := s.ready(ctx); err != nil {
		return nil, time.Time{}, err
	}
	for len(due) < t.Limit {
		list := s.index.take(t, t.Limit-len(due))
		if len(list) == 0 {
			break
		}
		for _, c := range s.claimAll(ctx, t, list) {
			switch {
			case c.taken.Record != nil:
				due = append(due, c.taken)
			case c.until != 0:
				s.index.hide(c.foundItem, c.until, false)
			}
		}
		if err := s.check(ctx); err != nil {
			return nil, time.Time{}, err // the instances taken are due again after a while
		}
	}
	return due, s.index.next(t), nil
}

// Foreign implements [stores.Store].
func (s *Store) Foreign(ctx context.Context, t stores.Taking) (int, error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx); err != nil {
		return 0, err
	}
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	return s.index.foreign(t), nil
}

// claimedItem is the outcome of a claim.
type claimedItem struct {
	foundItem
	taken stores.Taken // without a record: the claim failed
	until int64        // when it may be taken again; 0: after its next change
}

// reading limits the time for reading an instance. An instance whose bucket has no leader for a
// moment must not delay the others: it is taken later.
const reading = time.Second

// claimAll claims instances, and reads them.
func (s *Store) claimAll(ctx context.Context, t stores.Taking, list []foundItem) []claimedItem {
	alone := s.index.alone(nanos.Of(t.Now))
	out := make([]claimedItem, len(list))
	turns := make(chan struct{}, claiming)
	var all sync.WaitGroup
	for i, f := range list {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			c := &out[i]
			c.foundItem = f
			if !alone {
				c.until = s.claim(ctx, t, &c.foundItem)
			}
			if c.until == 0 && c.lost {
				s.countLost(ctx, t, c, alone)
			}
			if c.until != 0 {
				return
			}
			limited, cancel := context.WithTimeout(ctx, reading)
			defer cancel()
			var err error
			switch c.taken, err = s.loadTaken(limited, c.foundItem); {
			case errors.Is(err, ErrForeign): // it is damaged, and does not take the turns of others
				c.until = nanos.Of(t.Now.Add(t.Hide))
			case err != nil:
				c.until = nanos.Of(t.Now.Add(reading))
			}
		})
	}
	all.Wait()
	return out
}

// loadTaken reads an instance that has been found, unless the revision is cached. It does not take
// an instance that has changed since: the new revision is in the index, or will be.
func (s *Store) loadTaken(ctx context.Context, f foundItem) (t stores.Taken, err error) {
	e := s.cache.whole(f.id)
	if e != nil && e.seq == f.seq {
		e = e.clone()
	} else {
		e, err = s.get(ctx, f.id)
	}
	if err == nil && e != nil && e.seq <= f.seq {
		t.Record, t.Mail, t.Lost = &e.Record, !e.box.empty(), e.box.Lost
	}
	return t, err
}

// countLost counts in the entry that an earlier taker may have died, and claims the new revision.
// An instance that has changed in between is left to the next Take.
func (s *Store) countLost(ctx context.Context, t stores.Taking, c *claimedItem, alone bool) {
	limited, cancel := context.WithTimeout(ctx, reading)
	defer cancel()
	e, err := s.change(limited, c.id, nil, false, func(old *entry) (*entry, error) {
		if old == nil || old.seq != c.seq {
			return nil, stores.ErrConflict
		}
		e := *old
		e.box.Lost++
		return &e, nil
	})
	if err != nil {
		c.until = nanos.Of(t.Now.Add(reading))
		return
	}
	c.seq = e.seq
	s.index.hide(c.foundItem, nanos.Of(t.Now.Add(t.Hide)), true)
	if !alone {
		c.until = s.claim(ctx, t, &c.foundItem)
	}
}

// claim claims an instance. It returns 0, or the time until which another worker holds it, and
// records whether a claim has run out. Where claims cannot be written, the instance is taken
// without one.
func (s *Store) claim(ctx context.Context, t stores.Taking, f *foundItem) (until int64) {
	limited, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	subject := s.claims.prefix + strconv.Itoa(f.shard) + "." + token(f.id) + "." + strconv.FormatUint(f.seq, 10)
	header := leaseHeader(t.Now.Add(t.Hide))
	var expected uint64
	for limited.Err() == nil {
		_, err := s.putValue(limited, s.claims, subject, nil, header, &expected)
		if !errors.Is(err, errOutdated) {
			return 0
		}
		m, err := s.last(limited, s.claims, subject)
		if err != nil || m == nil {
			return 0
		}
		other, err := parseLease(m.Header)
		if err == nil && other > nanos.Of(t.Now) {
			return other
		}
		expected, f.lost = m.Sequence, true
	}
	return 0
}
