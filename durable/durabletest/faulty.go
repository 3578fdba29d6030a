package durabletest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// ErrFault is the error with which a Faulty store fails a call.
var ErrFault = errors.New("durabletest: the store has failed")

// Faulty returns a store that behaves like another one, except that about one call in every
// fails. Some fail before they have done anything. Others fail after their work is done, as if
// the answer had been lost. The store also returns instances that are already taken, and
// misreports the time by up to a second. The choices depend only on the seed and the order of the
// calls.
//
// It is safe for concurrent use.
func Faulty(store stores.Store, seed uint64, every int) stores.Store {
	return &faulty{Store: store, every: max(every, 2), random: rand.New(rand.NewPCG(seed, 1))}
}

type faulty struct {
	stores.Store
	every int

	mu     sync.Mutex
	random *rand.Rand
	taken  []stores.Taken // recently
}

// choose decides whether this call fails, and whether it does its work.
func (f *faulty) choose() (fails, writes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fails = f.random.IntN(f.every) == 0
	return fails, !fails || f.random.IntN(2) == 0
}

// do makes a call unless that must fail first, and may replace its answer by a failure.
func (f *faulty) do(what string, call func() error) error {
	fails, works := f.choose()
	var err error
	if works {
		err = call()
	}
	if fails {
		return fmt.Errorf("%w: %s", ErrFault, what)
	}
	return err
}

// Load may fail.
func (f *faulty) Load(ctx context.Context, id string) (r *stores.Record, err error) {
	err = f.do("Load", func() (err error) { r, err = f.Store.Load(ctx, id); return err })
	return r, err
}

// Swap may fail, before or after it writes. If it fails after that, the caller does not learn
// the new version.
func (f *faulty) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	before := r.Version
	err = f.do("Swap", func() (err error) { mail, err = f.Store.Swap(ctx, r); return err })
	if errors.Is(err, ErrFault) {
		r.Version = before
	}
	return mail, err
}

// Send may fail, before or after it sends.
func (f *faulty) Send(ctx context.Context, id string, m stores.Message) error {
	return f.do("Send", func() error { return f.Store.Send(ctx, id, m) })
}

// Inbox may fail.
func (f *faulty) Inbox(ctx context.Context, id string, after int64) (list []stores.Message, err error) {
	err = f.do("Inbox", func() (err error) { list, err = f.Store.Inbox(ctx, id, after); return err })
	return list, err
}

// Delete may fail, before or after it deletes.
func (f *faulty) Delete(ctx context.Context, id string, version int64) error {
	return f.do("Delete", func() error { return f.Store.Delete(ctx, id, version) })
}

// Lease may fail.
func (f *faulty) Lease(ctx context.Context, worker string, until time.Time) error {
	return f.do("Lease", func() error { return f.Store.Lease(ctx, worker, until) })
}

// Begin may fail.
func (f *faulty) Begin(ctx context.Context) (stores.Transaction, error) {
	if fails, _ := f.choose(); fails {
		return nil, fmt.Errorf("%w: Begin", ErrFault)
	}
	tx, err := begin(ctx, f.Store)
	return &faultyTransaction{tx, f}, err
}

// faultyTransaction is a transaction of a faulty store.
type faultyTransaction struct {
	stores.Transaction
	store *faulty
}

// Swap may fail, before or after it commits.
func (t *faultyTransaction) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	err = t.store.do("Swap", func() (err error) { mail, err = t.Transaction.Swap(ctx, r); return err })
	return mail, err
}

// Take may fail, return instances again, and misreport the time.
func (f *faulty) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	f.mu.Lock()
	t.Now = t.Now.Add(time.Duration(f.random.Int64N(int64(2*time.Second))) - time.Second)
	t.Hide = min(t.Hide, time.Duration(f.random.Int64N(int64(20*time.Millisecond))))
	if len(f.taken) > 0 && f.random.IntN(f.every) == 0 && t.Limit > 1 {
		due = append(due, copyTaken(f.taken[f.random.IntN(len(f.taken))]))
		t.Limit--
	}
	f.mu.Unlock()
	err = f.do("Take", func() error {
		more, at, err := f.Store.Take(ctx, t)
		for _, d := range more {
			d.Lost = 0 // the takers do not die: this store hides what they run for too short a time
			due = append(due, d)
		}
		next = at
		return err
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.random.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for _, d := range due {
		f.taken = append(f.taken, copyTaken(d))
	}
	f.taken = f.taken[max(0, len(f.taken)-50):]
	return due, next, nil
}

// copyTaken returns a copy of an instance as it was taken, independent of later changes to the
// record.
func copyTaken(d stores.Taken) stores.Taken {
	r := *d.Record
	r.State, r.Labels = slices.Clone(r.State), maps.Clone(r.Labels)
	return stores.Taken{Record: &r, Mail: d.Mail, Lost: d.Lost}
}
