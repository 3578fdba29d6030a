package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/internal/groups"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Mail
//
// Each Send writes the head of its instance again, since it must see the changes of a Swap. So
// the head stays small, however many messages wait: when its letters are a page, they are stored
// under a key of their own, and the head names the page. A long payload has a key of its own at
// once. Old keys of messages are spilled, each to a key of the bucket that is only looked up.
//
// Messages that this process sends to an instance while an earlier write to its mailbox is under
// way are written together, with the next one.

// Sizes above which parts of a mailbox are stored under separate keys.
const (
	inlineLetter = 4 << 10  // bytes of a letter
	pageLetters  = 64       // number of letters
	pageSize     = 32 << 10 // bytes of them
	inlineKeys   = 128      // hashes
)

// page is the place of letters that are stored together.
type page struct {
	Name  string `json:"name"`            // the last part of its key
	Last  int64  `json:"last"`            // the number of its newest letter
	Apart bool   `json:"apart,omitempty"` // some payloads have keys of their own
}

// size returns about how much of a page a letter fills.
func (l letter) size() int { return len(l.Payload) + len(l.Name) + len(l.Key) }

// empty reports whether there are no letters above the floor.
func (b *mailbox) empty() bool { return len(b.Letters) == 0 && len(b.Pages) == 0 }

// drop removes the letters up to a floor, and returns them, except those in a page that has later
// ones, too.
func (b *mailbox) drop(floor int64) (dropped mailbox) {
	n := 0
	for n < len(b.Pages) && b.Pages[n].Last <= floor {
		n++
	}
	dropped.Birth, dropped.Pages, b.Pages = b.Birth, b.Pages[:n], b.Pages[n:]
	n = 0
	for n < len(b.Letters) && b.Letters[n].Seq <= floor {
		n++
	}
	dropped.Letters, b.Letters = b.Letters[:n], b.Letters[n:]
	return dropped
}

// remove deletes the separate keys of letters that are no longer needed. What it leaves is deleted
// with the instance.
func (s *Store) remove(ctx context.Context, id string, dropped mailbox) {
	var names []string
	letters := dropped.Letters
	for _, p := range dropped.Pages {
		names = append(names, p.Name)
		if p.Apart {
			list, _ := s.readPage(ctx, id, dropped.Birth, p)
			letters = append(slices.Clip(letters), list...)
		}
	}
	for _, l := range letters {
		if l.Apart != "" {
			names = append(names, l.Apart)
		}
	}
	_ = inParallel(names, func(name string) error {
		return s.bucketOf(id).stream.Purge(ctx, jetstream.WithPurgeSubject(s.partSubject(id, "m", dropped.Birth, name)))
	})
}

// parallel is the number of requests for one mailbox in progress at a time.
const parallel = 32

// inParallel calls f for each element of a list, and returns the first error.
func inParallel[T any](list []T, f func(T) error) error {
	var next atomic.Int64
	var once sync.Once
	var failure error
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
			if err := f(list[i]); err != nil {
				once.Do(func() { failure = err })
				next.Store(int64(len(list)))
			}
		}
	}
	var all sync.WaitGroup
	for range min(len(list), parallel) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
	return failure
}

// pendingSend is a call of Send.
type pendingSend struct {
	m      stores.Message
	apart  string // the name of its payload's own key
	stored string // the birth under which the payload was stored; empty: it was not
	known  bool   // a message with its key has already been sent
}

// Send implements [stores.Store]. If it returns an error of the connection or of the context, the
// message may have been written.
func (s *Store) Send(ctx context.Context, id string, m stores.Message) error {
	ctx = nilctx.Background(ctx)
	if err := s.check(ctx, id, m.Name, m.Key); err != nil {
		return err
	}
	m.Payload = slices.Clone(m.Payload)
	one := &pendingSend{m: m, apart: mark()}
	err := s.sends.Do(ctx, id, one)
	switch {
	case errors.Is(err, stores.ErrEnded) && one.known:
		return nil
	case errors.Is(err, groups.ErrClosed):
		return ErrClosed
	case err != nil && err == context.Cause(ctx):
		return fmt.Errorf("natsstore: %w", err)
	case err == nil:
		s.listeners.Tell()
	}
	return err
}

// sendGroup writes messages to an instance.
func (s *Store) sendGroup(ctx context.Context, id string, group []*pendingSend) error {
	_, err := s.change(ctx, id, s.cache.whole(id), false, func(old *entry) (*entry, error) {
		switch {
		case old == nil:
			return nil, stores.ErrNotFound
		case old.Status.Ended():
			for _, c := range group { // one by one: none of them makes a key known
				if err := s.findKnown(ctx, old, []*pendingSend{c}); err != nil {
					return nil, err
				}
			}
			return nil, stores.ErrEnded
		}
		return s.addLetters(ctx, old, group)
	})
	if errors.Is(err, errKnown) {
		return nil
	}
	return err
}

// errKnown says that messages with the same keys have already been sent.
var errKnown = errors.New("known")

// addLetters returns the entry with the messages added. It writes what is stored separately.
func (s *Store) addLetters(ctx context.Context, old *entry, group []*pendingSend) (*entry, error) {
	e := *old
	if err := s.findKnown(ctx, &e, group); err != nil {
		return nil, err
	}
	group = slices.DeleteFunc(slices.Clone(group), func(c *pendingSend) bool { return c.known })
	if len(group) == 0 {
		return nil, errKnown
	}
	var parts []part
	if err := s.spillKeys(ctx, &e, group); err != nil {
		return nil, err
	}
	e.box.Pages, e.box.Letters = slices.Clone(e.box.Pages), slices.Clone(e.box.Letters)
	size := 0
	for _, l := range e.box.Letters {
		size += l.size()
	}
	for _, c := range group {
		e.box.Last++
		l := letter{Seq: e.box.Last, Name: c.m.Name, Key: c.m.Key, Sent: nanos.Nullable(c.m.Sent), Payload: c.m.Payload}
		if len(l.Payload) > inlineLetter {
			if c.stored != e.box.Birth {
				parts = append(parts, part{"m", c.apart, l.Payload})
			}
			l.Apart, l.Payload = c.apart, nil
		}
		if len(e.box.Letters) >= pageLetters || len(e.box.Letters) > 0 && size+l.size() > pageSize {
			value, err := e.box.turnPage()
			if err != nil {
				return nil, fmt.Errorf("natsstore: %w", err)
			}
			parts, size = append(parts, value), 0
		}
		e.box.Letters, size = append(e.box.Letters, l), size+l.size()
	}
	if err := s.putParts(ctx, &e, parts); err != nil {
		return nil, err
	}
	for _, c := range group {
		c.stored = e.box.Birth
	}
	return &e, nil
}

// part is a part of a mailbox to be stored under a separate key.
type part struct {
	what, name string // of the key
	value      []byte
}

// putParts stores parts of a mailbox.
func (s *Store) putParts(ctx context.Context, e *entry, parts []part) error {
	return inParallel(parts, func(p part) error {
		_, err := s.putValue(ctx, s.bucketOf(e.ID), s.partSubject(e.ID, p.what, e.box.Birth, p.name), p.value, nil, nil)
		return err
	})
}

// turnPage makes a page of the letters.
func (b *mailbox) turnPage() (part, error) {
	p := page{Name: mark(), Last: b.Letters[len(b.Letters)-1].Seq}
	for _, l := range b.Letters {
		p.Apart = p.Apart || l.Apart != ""
	}
	value, err := json.Marshal(b.Letters)
	b.Pages, b.Letters = append(b.Pages, p), nil
	return part{"m", p.Name, value}, err
}

// findKnown finds the messages whose keys have been sent before.
func (s *Store) findKnown(ctx context.Context, e *entry, group []*pendingSend) error {
	sent := make(map[string]bool, len(e.box.Keys)+len(group))
	for _, key := range e.box.Keys {
		sent[key] = true
	}
	var asked []*pendingSend
	for _, c := range group {
		key := hash(c.m.Key)
		if c.known = c.m.Key != "" && sent[key]; c.known || c.m.Key == "" {
			continue
		}
		sent[key] = true
		asked = append(asked, c)
	}
	if !e.box.Spilled {
		return nil
	}
	return inParallel(asked, func(c *pendingSend) error {
		m, err := s.last(ctx, s.bucketOf(e.ID), s.partSubject(e.ID, "k", e.box.Birth, hash(c.m.Key)))
		c.known = m != nil
		return err
	})
}

// spillKeys records the messages' keys. It stores older ones separately, but no new one: another
// writer may be faster, and then a new one has not been sent.
func (s *Store) spillKeys(ctx context.Context, e *entry, group []*pendingSend) error {
	var keys []string
	for _, c := range group {
		if c.m.Key != "" {
			keys = append(keys, hash(c.m.Key))
		}
	}
	old := e.box.Keys
	if len(old) > 0 && len(old)+len(keys) > inlineKeys {
		n := min(len(old), max(inlineKeys/2, len(old)+len(keys)-inlineKeys))
		var parts []part
		for _, key := range old[:n] {
			parts = append(parts, part{"k", key, nil})
		}
		if err := s.putParts(ctx, e, parts); err != nil {
			return err
		}
		old, e.box.Spilled = old[n:], true
	}
	e.box.Keys = slices.Concat(old, keys)
	return nil
}

// Inbox implements [stores.Store].
func (s *Store) Inbox(ctx context.Context, id string, after int64) (list []stores.Message, err error) {
	ctx = nilctx.Background(ctx)
	for seq := uint64(0); ; {
		e, err := s.find(ctx, id)
		if err != nil {
			return nil, err
		}
		list, err := s.readMail(ctx, e, max(after, e.Floor))
		if !errors.Is(err, errGone) || e.seq == seq {
			return list, err
		}
		seq = e.seq // a part may have been received in the meantime
	}
}

// errGone says that a part of a mailbox does not exist.
var errGone = errors.New("natsstore: a part of the mailbox is gone")

// readMail returns the messages of an entry whose numbers are greater than after.
func (s *Store) readMail(ctx context.Context, e *entry, after int64) ([]stores.Message, error) {
	pages := make([][]letter, len(e.box.Pages)+1)
	pages[len(e.box.Pages)] = e.box.Letters
	var numbers []int
	for n, p := range e.box.Pages {
		if p.Last > after {
			numbers = append(numbers, n)
		}
	}
	err := inParallel(numbers, func(n int) (err error) {
		pages[n], err = s.readPage(ctx, e.ID, e.box.Birth, e.box.Pages[n])
		return err
	})
	if err != nil {
		return nil, err
	}
	var list []stores.Message
	apart := map[int]string{} // the names of payloads, by their places in list
	for _, l := range slices.Concat(pages...) {
		if l.Seq <= after {
			continue
		}
		if l.Apart != "" {
			apart[len(list)] = l.Apart
		}
		list = append(list, stores.Message{Seq: l.Seq, Name: l.Name, Key: l.Key, Payload: l.Payload, Sent: nanos.Time(l.Sent)})
	}
	return list, inParallel(slices.Collect(maps.Keys(apart)), func(n int) error {
		raw, err := s.last(ctx, s.bucketOf(e.ID), s.partSubject(e.ID, "m", e.box.Birth, apart[n]))
		switch {
		case err != nil:
			return err
		case raw == nil:
			return fmt.Errorf("%w: the payload of message %d of %q", errGone, list[n].Seq, e.ID)
		}
		list[n].Payload = raw.Data
		return nil
	})
}

// readPage returns the letters of a page.
func (s *Store) readPage(ctx context.Context, id, birth string, p page) (list []letter, err error) {
	raw, err := s.last(ctx, s.bucketOf(id), s.partSubject(id, "m", birth, p.Name))
	switch {
	case err != nil:
		return nil, err
	case raw == nil:
		return nil, fmt.Errorf("%w: the messages of %q up to %d", errGone, id, p.Last)
	}
	if err := json.Unmarshal(raw.Data, &list); err != nil {
		return nil, fmt.Errorf("%w: the messages of %q up to %d cannot be read: %w", ErrForeign, id, p.Last, stores.ErrCorrupt)
	}
	return list, nil
}
