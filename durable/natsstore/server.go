package natsstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/stores"
)

// # Writes and reads
//
// Each call is repeated until the servers answer, at most until the timeout: while
// a stream has no leader, which lasts seconds, a call waits. A write whose answer was lost is
// recognised by its mark in the entry, so that a second try does not repeat it.

const (
	// attemptTimeout limits the time for one request.
	attemptTimeout = 3 * time.Second
	// marks is the number of latest writes that an entry names. If so many other writes happen
	// between a write and its next try, the next try is taken for a conflict.
	marks = 16
)

// mark returns a new name for a write.
func mark() string { return rand.Text()[:13] }

// change writes the entry that edit makes from the old one (nil: there is none), and tries again
// while other writers are faster. old is the entry as far as it is known, or nil; isNew says that
// there is none as far as is known.
func (s *Store) change(ctx context.Context, id string, old *entry, isNew bool, edit func(old *entry) (*entry, error)) (e *entry, err error) {
	write := mark()
	b, subject := s.bucketOf(id), s.subject(id)
	known := old != nil || isNew
	for tries := 0; ; tries++ {
		if !known {
			if old, err = s.get(ctx, id); err != nil {
				return nil, err
			}
		}
		if old != nil && slices.Contains(old.box.Writes, write) {
			s.index.apply(b.number, id, old.seq, old.note(), true)
			return old, nil // an earlier try has written it
		}
		e, err = edit(old)
		if err != nil && known {
			known = false // the known entry may be out of date
			continue
		}
		if err != nil {
			return nil, err
		}
		var expected uint64
		e.box.Writes = []string{write}
		if old != nil {
			expected = old.seq
			e.box.Writes = append(slices.Clone(old.box.Writes[max(0, len(old.box.Writes)-marks+1):]), write)
		}
		switch e.seq, err = s.write(ctx, b, subject, e, expected); {
		case err == nil:
			s.cache.put(e)
			s.index.apply(b.number, id, e.seq, e.note(), true)
			return e, nil
		case !errors.Is(err, errOutdated):
			s.cache.drop(id)
			return nil, err
		}
		known = false
		if tries > 0 {
			pause(ctx, time.Duration(mathrand.Int64N(int64(time.Millisecond)<<min(tries, 6))))
		}
	}
}

// write puts an entry if the stored revision is the expected one.
func (s *Store) write(ctx context.Context, b *bucket, subject string, e *entry, expected uint64) (uint64, error) {
	value, err := e.encode()
	if err != nil {
		return 0, fmt.Errorf("natsstore: %w", err)
	}
	header, err := e.note().header()
	if err != nil {
		return 0, fmt.Errorf("natsstore: %w", err)
	}
	return s.putValue(ctx, b, subject, value, header, &expected)
}

// get returns an entry, or nil if there is none.
func (s *Store) get(ctx context.Context, id string) (*entry, error) {
	b := s.bucketOf(id)
	m, err := s.last(ctx, b, s.subject(id))
	if err != nil || m == nil {
		return nil, err
	}
	e, err := decode(id, m.Data, m.Sequence)
	if err == nil {
		s.cache.put(e)
	}
	return e, err
}

// errOutdated says that the stored revision is not the expected one, or may not be: the answer of
// an earlier try was lost.
var errOutdated = errors.New("natsstore: the revision is another one")

// Error codes of the server.
const (
	codeWrongSequence         = 10071
	codeWrongSequenceConstant = 10164
	codeTooLarge              = 10054
)

// putValue stores a message. A nil expected accepts any revision.
func (s *Store) putValue(ctx context.Context, b *bucket, subject string, value []byte, header nats.Header, expected *uint64) (seq uint64, err error) {
	m := &nats.Msg{Subject: subject, Data: value, Header: nats.Header{}}
	maps.Copy(m.Header, header)
	m.Header.Set(jetstream.ExpectedStreamHeader, b.name)
	if expected != nil {
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(*expected, 10))
	}
	err = s.try(ctx, func(ctx context.Context) error {
		ack, err := s.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		var api *jetstream.APIError
		switch {
		case err == nil:
			seq = ack.Sequence
			return nil
		case errors.Is(err, nats.ErrMaxPayload):
			return final{fmt.Errorf("%w: the server takes messages of %d bytes, and this one has %d",
				stores.ErrTooLarge, s.conn.MaxPayload(), len(value))}
		case errors.As(err, &api) && (api.ErrorCode == codeWrongSequence || api.ErrorCode == codeWrongSequenceConstant):
			return final{errOutdated}
		case errors.As(err, &api) && api.ErrorCode == codeTooLarge:
			return final{fmt.Errorf("%w: the stream takes less than the %d bytes of this message", stores.ErrTooLarge, len(value))}
		}
		return err
	})
	return seq, err
}

// last returns the newest message of a subject, from the stream's leader, or nil if there is
// none.
func (s *Store) last(ctx context.Context, b *bucket, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = s.try(ctx, func(ctx context.Context) (err error) {
		m, err = b.stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// final marks an error after which a retry is pointless.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// denial is the server's message that the user lacks a right.
type denial struct {
	when time.Time
	err  error
}

// try repeats a call until it succeeds, its error is final, ctx has ended, or the timeout has
// passed. If ctx has ended, the error also says what kept the servers from doing it.
func (s *Store) try(ctx context.Context, call func(context.Context) error) error {
	begin := time.Now()
	var answer error // the last one of a server
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		limited, cancel := context.WithTimeout(ctx, attemptTimeout)
		err := call(limited)
		if limited.Err() == nil {
			answer = err
		}
		cancel()
		var end final
		switch d := s.denied.Load(); {
		case err == nil:
			return nil
		case errors.As(err, &end):
			return end.error
		case s.closed.Load():
			return ErrClosed
		case ctx.Err() != nil && answer != nil:
			return fmt.Errorf("natsstore: %w; the last attempt: %s", context.Cause(ctx), answer.Error())
		case ctx.Err() != nil:
			return fmt.Errorf("natsstore: %w", context.Cause(ctx))
		case errors.Is(err, nats.ErrConnectionClosed):
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		case d != nil && d.when.After(begin):
			return fmt.Errorf("%w: %w", ErrRights, d.err)
		case time.Since(begin) > s.timeout:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		pause(ctx, wait)
	}
}

// pause waits for d, or until ctx has ended.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Bounds of the cache.
const (
	maxCached   = 4096    // entries
	cachedState = 2 << 10 // bytes of a state, and of labels, that are cached
)

// cache holds recent entries. They are those of the instances that a worker runs, so that a Swap
// needs only one message, and a Send to a small one, too.
type cache struct {
	mu  sync.Mutex
	all map[string]*entry
}

// get returns an entry, perhaps without its state and labels, or nil.
func (c *cache) get(id string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[id]
}

// whole returns an entry, or nil if it is not cached with its state and labels.
func (c *cache) whole(id string) *entry {
	if e := c.get(id); e != nil && !e.partial {
		return e
	}
	return nil
}

func (c *cache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
}

// put caches an entry, unless a later one is known.
func (c *cache) put(e *entry) {
	small := *e
	size := len(e.State)
	for name, value := range e.Labels {
		size += len(name) + len(value)
	}
	if small.partial = size > cachedState; small.partial {
		small.State, small.Labels = nil, nil
	} else { // the caller may change its own
		small = *e.clone()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.all[e.ID]; old != nil && old.seq > e.seq {
		return
	}
	if c.all == nil {
		c.all = map[string]*entry{}
	}
	if len(c.all) >= maxCached {
		for id := range c.all { // any
			delete(c.all, id)
			break
		}
	}
	c.all[e.ID] = &small
}
