package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/internal/nanos"
)

// # Following
//
// The index follows each bucket with a separate consumer that delivers only headers. A consumer
// ends with the server that runs it, and another one continues where it stopped. If the bucket
// was replaced, or has lost its latest messages, it is followed from the beginning.

// header returns the header that carries a note.
func (n note) header() (nats.Header, error) {
	data, err := json.Marshal(n)
	return nats.Header{noteHeader: {string(data)}}, err
}

func leaseHeader(until time.Time) nats.Header {
	return nats.Header{leaseHeaderName: {strconv.FormatInt(nanos.Of(until), 10)}}
}

func parseLease(h nats.Header) (int64, error) {
	return strconv.ParseInt(h.Get(leaseHeaderName), 10, 64)
}

// Intervals of followers.
const (
	auditInterval = 30 * time.Second // between checks that a follower has not been left behind
	heartbeat     = 5 * time.Second  // without which a consumer is considered dead
	inactivity    = time.Minute      // after which the server forgets a consumer
	batch         = 2000             // headers in flight
)

// follow keeps the index up to date with a bucket until ctx ends.
func (s *Store) follow(ctx context.Context, b *bucket) {
	const maxWait = 2 * time.Second
	for wait := 10 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, maxWait) {
		begin := time.Now()
		if s.followOnce(ctx, b) != nil && time.Since(begin) > auditInterval {
			wait = 10 * time.Millisecond
		}
		pause(ctx, wait)
	}
}

// followOnce follows a bucket until its consumer fails. The error is never nil.
func (s *Store) followOnce(ctx context.Context, b *bucket) error {
	limited, stop := context.WithTimeout(ctx, attemptTimeout)
	defer stop()
	info, err := b.stream.Info(limited)
	if err != nil {
		return err
	}
	if !info.Created.Equal(b.created) || info.State.LastSeq < s.index.position(b.number) {
		s.index.reset(b.number)
		b.created = info.Created
	}
	c, err := s.js.CreateConsumer(limited, b.name, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: s.index.position(b.number) + 1,
		AckPolicy: jetstream.AckNonePolicy, HeadersOnly: true, MemoryStorage: true, Replicas: 1, InactiveThreshold: inactivity,
	})
	if err != nil {
		return err
	}
	if c.CachedInfo().NumPending == 0 {
		s.advance(b, info.State.LastSeq)
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(batch), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	audited, end := context.WithCancel(ctx)
	defer context.AfterFunc(audited, messages.Stop)()
	defer end()
	s.following.Go(func() {
		defer end()
		s.audit(audited, b)
	})
	for n := uint64(1); ; n++ {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		if err := s.applyMessage(b, m, n); err != nil {
			return err
		}
	}
}

// advance records that a bucket has been followed to its end.
func (s *Store) advance(b *bucket, position uint64) {
	s.index.advance(b.number, position)
	select {
	case <-b.caught:
	default:
		close(b.caught)
	}
}

// applyMessage processes the n-th message of a consumer.
func (s *Store) applyMessage(b *bucket, m jetstream.Msg, n uint64) error {
	meta, err := m.Metadata()
	switch {
	case err != nil:
		return err
	case meta.Sequence.Consumer != n:
		return fmt.Errorf("natsstore: message %d of a consumer is its %d", meta.Sequence.Consumer, n)
	}
	wakes, err := s.read(b, m, meta.Sequence.Stream)
	if err != nil {
		return err
	}
	s.index.advance(b.number, meta.Sequence.Stream)
	if meta.NumPending == 0 {
		s.advance(b, meta.Sequence.Stream)
	}
	if wakes {
		s.listeners.Tell()
	}
	return nil
}

// read applies a message to the index. It ignores messages that are not from this package.
func (s *Store) read(b *bucket, m jetstream.Msg, seq uint64) (wakes bool, err error) {
	what, name, _ := strings.Cut(strings.TrimPrefix(m.Subject(), b.prefix), ".")
	id, ok := text(name)
	switch {
	case !ok:
	case what == "l":
		if until, err := parseLease(m.Headers()); err == nil {
			s.index.lease(id, seq, until)
		}
	case what == "i":
		var n note
		if err := json.Unmarshal([]byte(m.Headers().Get(noteHeader)), &n); err == nil {
			wakes = s.index.apply(b.number, id, seq, n, false)
			select {
			case <-b.caught:
			default:
				s.index.markDue(id, nanos.Of(time.Now()))
			}
			return wakes, nil
		}
	}
	return false, nil
}

// audit returns when a bucket has grown but its follower has not moved between two checks, or
// when ctx ends. A server that has lost contact with the others can leave a consumer behind.
func (s *Store) audit(ctx context.Context, b *bucket) {
	t := time.NewTicker(auditInterval)
	defer t.Stop()
	var last, position uint64
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		at := s.index.position(b.number)
		if at == position && at < last {
			return
		}
		position = at
		if info, err := b.stream.Info(ctx); err == nil {
			last = info.State.LastSeq
		}
	}
}

// ready waits until all buckets have been followed to their ends once.
func (s *Store) ready(ctx context.Context) error {
	limit := time.NewTimer(s.timeout)
	defer limit.Stop()
	for _, b := range s.buckets {
		select {
		case <-b.caught:
		case <-ctx.Done():
			return fmt.Errorf("natsstore: %w", context.Cause(ctx))
		case <-limit.C:
			err := errors.New("a bucket could not be followed to its end")
			if d := s.denied.Load(); d != nil {
				return fmt.Errorf("%w: %w: %w", ErrRights, err, d.err)
			}
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return nil
}
