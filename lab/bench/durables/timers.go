package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// writers is the number of concurrent writers.
const writers = 64

// measureTimers prints how late sleeping instances end whose wake-up times all lie within, for
// example, one minute.
func measureTimers(ctx context.Context, n size, list string, out io.Writer) error {
	fmt.Fprintf(out, "%d instances asleep, due within %v\n", n.instances, n.within)
	for _, kind := range kindsOf(list) {
		k, err := keep(ctx, kind)
		if err == nil {
			err = errors.Join(k.timers(ctx, n, out), k.close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// timers is measureTimers for one store.
func (k *keptStore) timers(ctx context.Context, n size, out io.Writer) (err error) {
	model, err := asleep(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := k.copies(ctx, model, "probe-", probe, func(int) time.Time { return never }); err != nil {
		return err
	}
	each := time.Since(began) / probe
	begin := time.Now().Add(time.Duration(1.3*float64(each)*float64(n.instances)) + time.Second)
	due := func(i int) time.Time {
		return begin.Add(time.Duration(float64(n.within) * float64(i) / float64(n.instances)))
	}
	began = time.Now()
	if err := k.copies(ctx, model, "", n.instances, due); err != nil {
		return err
	}
	if over := time.Since(begin); over > 0 {
		fmt.Fprintf(out, "%-9s the first were due %v before the last was asleep: the machine has become slower\n", k.kind, over)
	}
	rate := float64(n.instances) / time.Since(began).Seconds()
	late, err := k.wake(ctx, n, due)
	if err != nil {
		return err
	}
	last := due(n.instances - 1)
	slices.Sort(late)
	at := func(part float64) time.Duration {
		return late[min(int(part*float64(len(late))), len(late)-1)].Round(time.Millisecond)
	}
	woken := float64(n.instances) / (last.Sub(begin) + at(1)).Seconds()
	fmt.Fprintf(out, "%-9s late: p50 %v, p99 %v, most %v; %.0f woken a second, %.2f of the %.0f writes a second before\n",
		k.kind, at(0.5), at(0.99), at(1), woken, woken/rate, rate)
	return nil
}

// probe is the number of instances that are written to measure the writing speed.
const probe = 2000

// never is the time at which the instances of the probe are due.
var never = time.Now().Add(1000 * time.Hour)

// asleep returns an instance as it sleeps; its wake-up time has passed when its copies are due.
func asleep(ctx context.Context) (r *stores.Record, err error) {
	s := saving{durable.NewMemory(), make(chan *stores.Record, 1)}
	e, err := durable.Open(ctx, s, durable.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	_, err = durable.Serve(e, NapDurable, &bench{}).Start(ctx, "model", time.Millisecond)
	if err == nil {
		select {
		case r = <-s.waits:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	return r, errors.Join(err, e.Shutdown(context.Background()))
}

// saving is a store that also passes on the records of instances that begin to wait.
type saving struct {
	stores.Store
	waits chan *stores.Record
}

// Swap implements [stores.Store].
func (s saving) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	mail, err = s.Store.Swap(ctx, r)
	if r.Status == durable.Waiting {
		seen := *r
		s.waits <- &seen
	}
	return mail, err
}

// copies writes copies of a record with different ids and times.
func (k *keptStore) copies(ctx context.Context, model *stores.Record, prefix string, n int, due func(i int) time.Time) error {
	var wg sync.WaitGroup
	failures := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for i := w; i < n && failures[w] == nil; i += writers {
				r := *model
				r.ID, r.Version, r.Due = prefix+strconv.Itoa(i), 0, due(i)
				_, failures[w] = k.Swap(ctx, &r)
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// wake runs an engine until all instances have ended, and returns how late each outcome was
// written.
func (k *keptStore) wake(ctx context.Context, n size, due func(i int) time.Time) (late []time.Duration, err error) {
	e, err := durable.Open(ctx, k.Store, durable.Workers(n.slots), durable.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	done := make(chan struct{})
	e.OnEvent(func(v durable.Event) {
		i, err := strconv.Atoi(v.ID)
		if v.Kind != durable.Ended || err != nil {
			return
		}
		now := time.Now()
		mu.Lock()
		defer mu.Unlock()
		if late = append(late, now.Sub(due(i))); len(late) == n.instances {
			close(done)
		}
	})
	durable.Serve(e, NapDurable, &bench{})
	select {
	case <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return late, errors.Join(err, e.Shutdown(context.Background()))
}
