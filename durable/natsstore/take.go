package natsstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/nanos"
)

// # Taking
//
// What is due is known to each worker from its index, so several would run for the same instance.
// A taker writes a claim first: a key that names the instance and its revision, which only one of
// them can create. Claims are in memory, and a hint: without one, two workers load an instance,
// and one of them wins the swap. A claim is void with the next revision of its instance. None is
// written while no other worker lives, as far as the index knows.
//
// Then the instance is read. An index that is behind has found one that has changed since; that
// one is not taken.

// claiming is how many claims are on their way at a time.
const claiming = 32

// Take implements [durable.Store].
func (s *Store) Take(ctx context.Context, t durable.Taking) (due []durable.Taken, next time.Time, err error) {
	ctx = background(ctx)
	if err := s.refused(ctx); err != nil || len(t.Functions) == 0 {
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
		if err := s.refused(ctx); err != nil {
			return nil, time.Time{}, err // what was taken is due again after a while
		}
	}
	return due, s.index.next(t), nil
}

// claimed is what has become of an instance that may be taken.
type claimed struct {
	taken durable.Taken // without a record: it is not taken
	until int64         // when it may be taken again; 0: when it changes
}

// reading is how long an instance may take to be read. One whose bucket has no leader for a moment
// does not hold up the others: it is taken later.
const reading = time.Second

// claimAll claims instances, and reads them.
func (s *Store) claimAll(ctx context.Context, t durable.Taking, list []found) []claimed {
	alone := s.index.alone(nanos.Of(t.Now))
	out := make([]claimed, len(list))
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
			if c.taken, err = s.taken(limited, f); err != nil {
				c.until = nanos.Of(t.Now.Add(reading))
			}
		})
	}
	all.Wait()
	return out
}

// taken reads an instance that has been found. One that has changed since is not taken: its new
// revision is in the index, or will be.
func (s *Store) taken(ctx context.Context, f found) (t durable.Taken, err error) {
	e, err := s.get(ctx, f.id)
	if err == nil && e != nil && e.seq <= f.seq {
		t.Record, t.Mail = &e.Record, len(e.box.Letters) > 0
	}
	return t, err
}

// claim claims an instance. It returns 0, or until when another worker has it. Where claims cannot
// be written, the instance is taken without.
func (s *Store) claim(ctx context.Context, t durable.Taking, f found) (until int64) {
	limited, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	subject := s.claims.prefix + strconv.Itoa(f.shard) + "." + token(f.id) + "." + strconv.FormatUint(f.seq, 10)
	header := leaseHeader(t.Now.Add(t.Hide))
	var expected uint64
	for limited.Err() == nil {
		_, err := s.put(limited, s.claims, subject, nil, header, &expected)
		if !errors.Is(err, errOutdated) {
			return 0
		}
		m, err := s.last(limited, s.claims, subject)
		if err != nil || m == nil {
			return 0
		}
		if other, err := leaseOf(m.Header); err == nil && other > nanos.Of(t.Now) {
			return other
		}
		expected = m.Sequence
	}
	return 0
}
