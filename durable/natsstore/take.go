package natsstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
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
// Then the instance is read. If the index is behind, the instance may have changed; such an
// instance is not taken.

// claiming is the number of claims in progress at a time.
const claiming = 32

// Take implements [durable.Store].
func (s *Store) Take(ctx context.Context, t durable.Taking) (due []durable.Taken, next time.Time, err error) {
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
		for i, c := range s.claimAll(ctx, t, list) {
			switch {
			case c.taken.Record != nil:
				due = append(due, c.taken)
			case c.until != 0:
				s.index.hide(list[i], c.until)
			}
		}
		if err := s.check(ctx); err != nil {
			return nil, time.Time{}, err // the instances taken are due again after a while
		}
	}
	return due, s.index.next(t), nil
}

// claimedItem is the outcome of a claim.
type claimedItem struct {
	taken durable.Taken // without a record: the claim failed
	until int64         // when it may be taken again; 0: after its next change
}

// reading limits the time for reading an instance. An instance whose bucket has no leader for a
// moment must not delay the others: it is taken later.
const reading = time.Second

// claimAll claims instances, and reads them.
func (s *Store) claimAll(ctx context.Context, t durable.Taking, list []foundItem) []claimedItem {
	alone := s.index.alone(nanos.Of(t.Now))
	out := make([]claimedItem, len(list))
	turns := make(chan struct{}, claiming)
	var all sync.WaitGroup
	for i, f := range list {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			c := &out[i]
			if !alone {
				c.until = s.claim(ctx, t, f)
			}
			if c.until != 0 {
				return
			}
			limited, cancel := context.WithTimeout(ctx, reading)
			defer cancel()
			var err error
			if c.taken, err = s.loadTaken(limited, f); err != nil {
				c.until = nanos.Of(t.Now.Add(reading))
			}
		})
	}
	all.Wait()
	return out
}

// loadTaken reads an instance that has been found. It does not take an instance that has changed
// since: the new revision is in the index, or will be.
func (s *Store) loadTaken(ctx context.Context, f foundItem) (t durable.Taken, err error) {
	e, err := s.get(ctx, f.id)
	if err == nil && e != nil && e.seq <= f.seq {
		t.Record, t.Mail = &e.Record, len(e.box.Letters) > 0
	}
	return t, err
}

// claim claims an instance. It returns 0, or the time until which another worker holds it. Where
// claims cannot be written, the instance is taken without one.
func (s *Store) claim(ctx context.Context, t durable.Taking, f foundItem) (until int64) {
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
		if other, err := parseLease(m.Header); err == nil && other > nanos.Of(t.Now) {
			return other
		}
		expected = m.Sequence
	}
	return 0
}
