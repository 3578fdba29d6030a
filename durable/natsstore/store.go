package natsstore

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/internal/groups"
	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
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
	// ErrUnavailable is matched by the error of a call that the servers have not answered in
	// time. Its write may have been made.
	ErrUnavailable = errors.New("natsstore: the servers do not answer")
)

// Store is a [stores.Store] in JetStream buckets, and a [stores.Notifier]. All methods are safe
// for concurrent use. A nil context never ends.
type Store struct {
	settings
	conn      *nats.Conn
	js        jetstream.JetStream
	buckets   []*bucket // of instances; the last one is of the workers
	claims    *bucket
	index     *index
	cache     cache
	sends     groups.Queue[*pendingSend]
	listeners listeners.Set
	denied    atomic.Pointer[denial]

	closed     atomic.Bool
	stop       context.CancelFunc
	following  sync.WaitGroup
	afterClose func() // ends the server of Embedded
}

var (
	_ stores.Store    = (*Store)(nil)
	_ stores.Notifier = (*Store)(nil)
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
	s.sends.Close()
	s.afterClose()
	return nil
}

// URL returns the address of the server to which the store is connected.
func (s *Store) URL() string { return s.conn.ConnectedUrl() }

// Load implements [stores.Store].
func (s *Store) Load(ctx context.Context, id string) (*stores.Record, error) {
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
		err = stores.ErrNotFound
	}
	return e, err
}

// Swap implements [stores.Store]. If it returns an error of the connection, the record may have
// been written.
func (s *Store) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, r.ID, r.Function, r.Run, r.Owner, r.Step, r.Layout); err != nil {
		return false, err
	}
	var dropped mailbox
	e, err := s.change(ctx, r.ID, s.cache.get(r.ID), r.Version == 0, func(old *entry) (*entry, error) {
		e := &entry{Record: *r}
		e.Version++
		switch {
		case old == nil && r.Version == 0:
			e.box.Birth = mark()
			return e, nil
		case old == nil || old.Version != r.Version:
			return nil, stores.ErrConflict
		}
		e.box = old.box
		e.box.Lost = 0
		dropped = e.box.drop(r.Floor)
		return e, nil
	})
	if err != nil {
		return false, err
	}
	r.Version++
	s.remove(ctx, r.ID, dropped)
	s.listeners.Tell()
	return e.mail(), nil
}

// Lease implements [stores.Store].
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

// Leased implements [stores.Store].
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

// Notify implements [stores.Notifier]: f is called after writes of this process, and after
// writes of other processes that make an instance due.
func (s *Store) Notify(f func()) (stop func()) { return s.listeners.Add(f) }

// check returns why a call with these texts cannot be made, or nil. The first text is an id.
func (s *Store) check(ctx context.Context, texts ...string) error {
	if s.closed.Load() {
		return ErrClosed
	}
	for i, t := range texts {
		if !utf8.ValidString(t) || i == 0 && len(t) > maxText {
			return fmt.Errorf("natsstore: %w: %.40q is not UTF-8, or too long", stores.ErrUnstorable, t)
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
