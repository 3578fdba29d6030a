package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// List implements [stores.Store]. It finds stuck instances with the index, which may lag a
// little. Any other list reads the headers of all instances, so it is for people, not for loops.
// It sees everything that was written before the call.
func (s *Store) List(ctx context.Context, f stores.Filter) (list []*stores.Record, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	var ids []string
	if f.Status == stores.Stuck {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
		ids = s.index.stuckIDs(f)
	} else if ids, err = s.scan(ctx, f); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if len(list) == f.Most() {
			break
		}
		e, err := s.get(ctx, id)
		if errors.Is(err, ErrForeign) {
			continue // it is damaged
		}
		if err != nil {
			return nil, err
		}
		if e != nil && f.Matches(&e.Record) {
			if f.Bare {
				e.State = nil
			}
			list = append(list, &e.Record)
		}
	}
	return list, nil
}

// scan returns the ids of instances whose notes match, in order.
func (s *Store) scan(ctx context.Context, f stores.Filter) (ids []string, err error) {
	for _, b := range s.buckets[:len(s.buckets)-1] {
		if err := s.scanBucket(ctx, b, func(id string, n note) {
			// An instance may appear twice if it was written during the scan.
			if id > f.After && (f.Function == "" || f.Function == n.Function) && (f.Status == "" || f.Status == n.Status) &&
				f.Updated.Contains(nanos.Time(n.Updated)) {
				ids = append(ids, id)
			}
		}); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// scanBucket calls f for each instance of a bucket. It reads at least as far as the leader was at
// the start: if it asked the leader again at the end, it might never finish while others write.
func (s *Store) scanBucket(ctx context.Context, b *bucket, f func(id string, n note)) error {
	newest, err := s.newest(ctx, b)
	if err != nil {
		return err
	}
	c, err := s.newScan(ctx, b)
	if err != nil {
		return err
	}
	defer func() { // or the server forgets it after a while
		_ = s.js.DeleteConsumer(context.WithoutCancel(ctx), b.name, c.consumer.CachedInfo().Name)
	}()
	begin := time.Now()
	for {
		n, err := c.readBatch(f)
		switch {
		case errors.Is(err, ErrUnavailable):
			return err
		case errors.Is(err, nats.ErrNoResponders) && ctx.Err() == nil && time.Since(begin) < s.timeout:
			// Another server has the consumer, and this one does not know it yet.
			pause(ctx, 10*time.Millisecond)
			continue
		case errors.Join(err, ctx.Err()) != nil:
			return fmt.Errorf("%w: %w", ErrUnavailable, errors.Join(err, ctx.Err()))
		case n > 0:
			continue
		case c.read >= newest:
			return nil
		}
		// The consumer may be on any replica, which may lag behind the leader.
		switch now, err := s.newest(ctx, b); {
		case err != nil || now <= c.read:
			return err // nil: the newest one has been deleted
		case time.Since(begin) > s.timeout:
			return fmt.Errorf("%w: a server of %s is left behind", ErrUnavailable, b.name)
		}
		pause(ctx, 10*time.Millisecond)
	}
}

// scan is a consumer of the instances of a bucket.
type scan struct {
	bucket   *bucket
	consumer jetstream.Consumer
	count    uint64 // of messages
	read     uint64 // the sequence number of the last one
}

// newScan makes the consumer of a scan.
func (s *Store) newScan(ctx context.Context, b *bucket) (*scan, error) {
	c := &scan{bucket: b}
	err := s.try(ctx, func(ctx context.Context) (err error) {
		c.consumer, err = s.js.CreateConsumer(ctx, b.name, jetstream.ConsumerConfig{
			FilterSubject: b.instances() + "*", AckPolicy: jetstream.AckNonePolicy, HeadersOnly: true, MemoryStorage: true, Replicas: 1,
			InactiveThreshold: inactivity,
		})
		return err
	})
	return c, err
}

// readBatch calls f for the next instances, and returns the number of messages. The error is
// ErrUnavailable, or the one that ended the batch.
func (c *scan) readBatch(f func(id string, n note)) (n int, err error) {
	messages, err := c.consumer.FetchNoWait(batch)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for m := range messages.Messages() {
		n++
		c.count++
		meta, err := m.Metadata()
		if err != nil || meta.Sequence.Consumer != c.count {
			return n, fmt.Errorf("%w: a list of %s has a gap", ErrUnavailable, c.bucket.name)
		}
		c.read = meta.Sequence.Stream
		var what note
		id, ok := text(strings.TrimPrefix(m.Subject(), c.bucket.instances()))
		if ok && json.Unmarshal([]byte(m.Headers().Get(noteHeader)), &what) == nil {
			f(id, what)
		}
	}
	return n, messages.Error()
}

// instances returns the beginning of the subjects of instances.
func (b *bucket) instances() string { return b.prefix + "i." }

// newest returns the revision of the newest instance of a bucket, according to the leader; 0:
// there is none.
func (s *Store) newest(ctx context.Context, b *bucket) (uint64, error) {
	m, err := s.last(ctx, b, b.instances()+"*")
	if err != nil || m == nil {
		return 0, err
	}
	return m.Sequence, nil
}

// Delete implements [stores.Store]. If it returns an error of the connection, the instance may
// have been deleted.
func (s *Store) Delete(ctx context.Context, id string, version int64) error {
	ctx = nilctx.Background(ctx)
	e, err := s.find(ctx, id)
	switch {
	case err != nil:
		return err
	case e.Version != version:
		return stores.ErrConflict
	}
	done, err := s.purge(ctx, foundItem{id: id, shard: s.shardOf(id), seq: e.seq})
	if err == nil && !done {
		return stores.ErrConflict
	}
	return err
}

// Purge implements [stores.Store].
func (s *Store) Purge(ctx context.Context, before time.Time, limit int) (n int, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx); err != nil {
		return 0, err
	}
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	for worker, seq := range s.index.expiredWorkers(nanos.Of(before)) {
		_ = s.workers().stream.DeleteMsg(ctx, seq) // or it has a newer lease, or is gone
		s.index.forgetWorker(worker, seq)
	}
	for _, f := range s.index.endedBefore(nanos.Of(before), limit) {
		done, err := s.purge(ctx, f)
		if err != nil {
			return n, err
		}
		if done {
			n++
		}
	}
	return n, nil
}

// purge deletes an instance if it has not changed since it was found.
func (s *Store) purge(ctx context.Context, f foundItem) (done bool, err error) {
	e, err := s.get(ctx, f.id)
	if err != nil && !errors.Is(err, ErrForeign) {
		return false, err
	}
	if e == nil || e.seq != f.seq { // or is damaged: it stays in the bucket
		s.index.forget(f.id, f.seq)
		return false, nil
	}
	b := s.buckets[f.shard]
	err = s.try(ctx, func(ctx context.Context) error { return s.deleteEntry(ctx, b, e) })
	s.index.forget(f.id, f.seq)
	s.cache.drop(f.id)
	if errors.Is(err, errOutdated) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, what := range []string{"m", "k"} { // of this birth only: the id may have been reused
		if err == nil && (e.box.Spilled || e.box.Last > 0) {
			err = b.stream.Purge(ctx, jetstream.WithPurgeSubject(s.partSubject(f.id, what, e.box.Birth, "*")))
		}
	}
	if err != nil {
		return true, fmt.Errorf("natsstore: the messages of %q: %w", f.id, err)
	}
	return true, nil
}

// deleteEntry deletes the revision of an entry. A revision that is gone is no error if the
// instance is: another worker has deleted it, or this one has and the answer was lost. If it has a
// later revision, the error is errOutdated.
func (s *Store) deleteEntry(ctx context.Context, b *bucket, e *entry) error {
	err := b.stream.DeleteMsg(ctx, e.seq)
	if !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return err
	}
	switch now, failure := s.get(ctx, e.ID); {
	case failure != nil:
		return errors.Join(err, failure)
	case now == nil || now.box.Birth != e.box.Birth:
		return nil
	case now.seq != e.seq:
		return final{errOutdated}
	}
	return err
}
