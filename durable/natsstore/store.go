package natsstore

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
)

// Errors of stores.
var (
	// ErrClosed is the error of a store that has been closed.
	ErrClosed = errors.New("natsstore: the store is closed")
	// ErrVersion is matched by the error for buckets made by a newer version of this package.
	ErrVersion = errors.New("natsstore: the buckets have a newer version")
	// ErrForeign is matched by the error for buckets that another program has made or written to.
	ErrForeign = errors.New("natsstore: the bucket is not one of this package")
	// ErrRights is matched by the error for a user who lacks a right that the store needs.
	ErrRights = errors.New("natsstore: the user lacks a right")
	// ErrText is matched by the error for an id or a name that is not UTF-8, and for an id of
	// more than 1000 bytes.
	ErrText = errors.New("natsstore: the text is not UTF-8, or too long")
	// ErrUnavailable is matched by the error of a call that the servers have not answered in
	// time. Its write may have been made.
	ErrUnavailable = errors.New("natsstore: the servers do not answer")
)

// Store is a [durable.Store] in JetStream buckets, and a [durable.Notifier]. All methods are safe
// for concurrent use. A nil context never ends.
type Store struct {
	settings
	conn      *nats.Conn
	js        jetstream.JetStream
	buckets   []*bucket // of instances; the last one is of the workers
	claims    *bucket
	index     *index
	cache     cache
	listeners listeners.Set
	denied    atomic.Pointer[denial]

	closed     atomic.Bool
	stop       context.CancelFunc
	following  sync.WaitGroup
	afterClose func() // ends the server of Embedded
}

var (
	_ durable.Store    = (*Store)(nil)
	_ durable.Notifier = (*Store)(nil)
)

// Close ends the goroutines and the connection, and the server of [Embedded]. Later calls return
// [ErrClosed]. Shut down engines first. A second call does nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.stop()
	s.following.Wait()
	s.conn.Close()
	s.afterClose()
	return nil
}

// URL returns the address of the server to which the store is connected.
func (s *Store) URL() string { return s.conn.ConnectedUrl() }

// Load implements [durable.Store].
func (s *Store) Load(ctx context.Context, id string) (*durable.Record, error) {
	ctx = nilctx.Background(ctx)
	e, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return &e.Record, nil
}

// find returns the entry of an instance, or ErrNotFound.
func (s *Store) find(ctx context.Context, id string) (*entry, error) {
	if err := s.check(ctx, id); err != nil {
		return nil, err
	}
	e, err := s.get(ctx, id)
	if err == nil && e == nil {
		err = durable.ErrNotFound
	}
	return e, err
}

// Swap implements [durable.Store]. If it returns an error of the connection, the record may have
// been written.
func (s *Store) Swap(ctx context.Context, r *durable.Record) (mail bool, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, r.ID, r.Function, r.Run, r.Owner, r.Step); err != nil {
		return false, err
	}
	var dropped []letter
	e, err := s.change(ctx, r.ID, s.cache.get(r.ID), func(old *entry) (*entry, error) {
		e := &entry{Record: *r}
		e.Version++
		switch {
		case old == nil && r.Version == 0:
			e.box.Birth = mark()
			return e, nil
		case old == nil || old.Version != r.Version:
			return nil, durable.ErrConflict
		}
		e.box = old.box
		n := 0
		for n < len(old.box.Letters) && old.box.Letters[n].Seq <= r.Floor {
			n++
		}
		dropped, e.box.Letters = old.box.Letters[:n], old.box.Letters[n:]
		return e, nil
	})
	if err != nil {
		return false, err
	}
	r.Version++
	for _, l := range dropped {
		if l.Apart != "" { // the rest of it is deleted with the instance
			_ = s.bucketOf(r.ID).stream.Purge(ctx, jetstream.WithPurgeSubject(s.partSubject(r.ID, "m", e.box.Birth, l.Apart)))
		}
	}
	s.listeners.Tell()
	return e.mail(), nil
}

// errKnown says that a message with the same key has already been sent.
var errKnown = errors.New("known")

// Send implements [durable.Store].
func (s *Store) Send(ctx context.Context, id string, m durable.Message) error {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, id, m.Name, m.Key); err != nil {
		return err
	}
	m.Payload = slices.Clone(m.Payload)
	sent := pendingSend{s: s, id: id, m: m, apart: mark()}
	_, err := s.change(ctx, id, nil, func(old *entry) (*entry, error) {
		switch {
		case old == nil:
			return nil, durable.ErrNotFound
		case old.Status.Ended():
			return nil, durable.ErrEnded
		}
		return sent.add(ctx, old)
	})
	if errors.Is(err, errKnown) {
		return nil
	}
	if err == nil {
		s.listeners.Tell()
	}
	return err
}

// Sizes above which parts of a mailbox are stored under separate keys.
const (
	inlineLetter  = 4 << 10
	inlineLetters = 32 << 10
	inlineKeys    = 128
)

// pendingSend is a call of Send.
type pendingSend struct {
	s     *Store
	id    string
	m     durable.Message
	apart string
	birth string // under which the payload was stored; empty: it was not
}

// add returns the entry with the message added.
func (c *pendingSend) add(ctx context.Context, old *entry) (*entry, error) {
	e := *old
	e.box.Last++
	l := letter{Seq: e.box.Last, Name: c.m.Name, Key: c.m.Key, Sent: nanos.Nullable(c.m.Sent), Payload: c.m.Payload}
	if err := c.addKey(ctx, &e); err != nil {
		return nil, err
	}
	size := len(l.Payload)
	for _, other := range e.box.Letters {
		size += len(other.Payload)
	}
	if len(l.Payload) > inlineLetter || size > inlineLetters {
		if c.birth != e.box.Birth {
			if _, err := c.s.putValue(ctx, c.s.bucketOf(c.id), c.s.partSubject(c.id, "m", e.box.Birth, c.apart), l.Payload, nil, nil); err != nil {
				return nil, err
			}
			c.birth = e.box.Birth
		}
		l.Apart, l.Payload = c.apart, nil
	}
	e.box.Letters = append(slices.Clone(e.box.Letters), l)
	return &e, nil
}

// addKey records the message's key.
func (c *pendingSend) addKey(ctx context.Context, e *entry) error {
	if c.m.Key == "" {
		return nil
	}
	key := hash(c.m.Key)
	if slices.Contains(e.box.Keys, key) {
		return errKnown
	}
	b := c.s.bucketOf(c.id)
	if e.box.Spilled {
		switch m, err := c.s.last(ctx, b, c.s.partSubject(c.id, "k", e.box.Birth, key)); {
		case err != nil:
			return err
		case m != nil:
			return errKnown
		}
	}
	e.box.Keys = append(slices.Clone(e.box.Keys), key)
	if len(e.box.Keys) <= inlineKeys {
		return nil
	}
	old := e.box.Keys[:inlineKeys/2]
	for _, k := range old {
		if _, err := c.s.putValue(ctx, b, c.s.partSubject(c.id, "k", e.box.Birth, k), nil, nil, nil); err != nil {
			return err
		}
	}
	e.box.Keys, e.box.Spilled = slices.Clone(e.box.Keys[len(old):]), true
	return nil
}

// Inbox implements [durable.Store].
func (s *Store) Inbox(ctx context.Context, id string, after int64) (list []durable.Message, err error) {
	ctx = nilctx.Background(ctx)
	e, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, l := range e.box.Letters {
		if l.Seq <= after {
			continue
		}
		m := durable.Message{Seq: l.Seq, Name: l.Name, Key: l.Key, Payload: l.Payload, Sent: nanos.Time(l.Sent)}
		if l.Apart != "" {
			raw, err := s.last(ctx, s.bucketOf(id), s.partSubject(id, "m", e.box.Birth, l.Apart))
			switch {
			case err != nil:
				return nil, err
			case raw == nil: // received in the meantime, or lost
				return nil, fmt.Errorf("natsstore: the payload of message %d of %q is gone", l.Seq, id)
			}
			m.Payload = raw.Data
		}
		list = append(list, m)
	}
	return list, nil
}

// Lease implements [durable.Store].
func (s *Store) Lease(ctx context.Context, worker string, until time.Time) error {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, worker); err != nil {
		return err
	}
	b := s.workers()
	seq, err := s.putValue(ctx, b, b.prefix+"l."+token(worker), nil, leaseHeader(until), nil)
	if err == nil {
		s.index.markOwn(worker)
		s.index.lease(worker, seq, nanos.Of(until))
		s.listeners.Tell()
	}
	return err
}

// Leased implements [durable.Store].
func (s *Store) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, worker); err != nil {
		return time.Time{}, err
	}
	b := s.workers()
	m, err := s.last(ctx, b, b.prefix+"l."+token(worker))
	if err != nil || m == nil {
		return time.Time{}, err
	}
	expiry, err := parseLease(m.Header)
	return time.Unix(0, expiry).UTC(), err
}

// Notify implements [durable.Notifier]: f is called after writes of this process, and after
// writes of other processes that make an instance due.
func (s *Store) Notify(f func()) (stop func()) { return s.listeners.Add(f) }

// check returns why a call with these texts cannot be made, or nil. The first text is an id.
func (s *Store) check(ctx context.Context, texts ...string) error {
	if s.closed.Load() {
		return ErrClosed
	}
	for i, t := range texts {
		if !utf8.ValidString(t) || i == 0 && len(t) > maxText {
			return fmt.Errorf("%w: %.40q", ErrText, t)
		}
	}
	return ctx.Err()
}

// bucketOf returns the bucket of an instance.
func (s *Store) bucketOf(id string) *bucket { return s.buckets[s.shardOf(id)] }

func (s *Store) shardOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // it never fails
	return int(h.Sum32() % uint32(len(s.buckets)-1))
}

// workers returns the bucket of leases.
func (s *Store) workers() *bucket { return s.buckets[len(s.buckets)-1] }

// subject returns the subject of an instance's entry.
func (s *Store) subject(id string) string { return s.bucketOf(id).instances() + token(id) }

// partSubject returns the subject of a separate part of a mailbox.
func (s *Store) partSubject(id, what, birth, name string) string {
	return strings.Join([]string{s.bucketOf(id).prefix + what, token(id), birth, name}, ".")
}
