package natsstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
)

// # Taking
//
// What is due is known to each worker from its index, so several would run for the same instance.
// A taker writes a claim first: a key that names the instance and its revision, which only one of
// them can create. Claims are in memory, and a hint: without one, two workers load an instance,
// and one of them wins the swap. A claim is void with the next revision of its instance.

// claiming is how many claims are on their way at a time.
const claiming = 32

// Take implements [durable.Store].
func (s *Store) Take(ctx context.Context, t durable.Taking) (ids []string, next time.Time, err error) {
	ctx = background(ctx)
	if err := s.refused(ctx); err != nil || len(t.Functions) == 0 {
		return nil, time.Time{}, err
	}
	if err := s.ready(ctx); err != nil {
		return nil, time.Time{}, err
	}
	for len(ids) < t.Limit {
		list := s.index.take(t, t.Limit-len(ids))
		if len(list) == 0 {
			break
		}
		for i, until := range s.claimAll(ctx, t, list) {
			if until == 0 {
				ids = append(ids, list[i].id)
			} else {
				s.index.hide(list[i], until)
			}
		}
		if err := s.refused(ctx); err != nil {
			return nil, time.Time{}, err // what was taken is due again after a while
		}
	}
	return ids, s.index.next(t), nil
}

// claimAll claims instances. For each it returns 0, or until when another worker has it.
func (s *Store) claimAll(ctx context.Context, t durable.Taking, list []found) []int64 {
	until := make([]int64, len(list))
	turns := make(chan struct{}, claiming)
	var all sync.WaitGroup
	for i, f := range list {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			until[i] = s.claim(ctx, t, f)
		})
	}
	all.Wait()
	return until
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
		if other, err := leaseOf(m.Header); err == nil && other > t.Now.UnixNano() {
			return other
		}
		expected = m.Sequence
	}
	return 0
}
