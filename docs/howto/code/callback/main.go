// A library with callbacks, wrapped so that its calls can be awaited and cancelled.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// client is the library: it calls done from some goroutine of its own, some time later.
type client struct{ latency time.Duration }

// lookup returns a function that cancels the lookup.
func (c client) lookup(name string, done func(address string, err error)) (stop func() bool) {
	return time.AfterFunc(c.latency, func() { done("address of "+name, nil) }).Stop
}

// lookupAsync is lookup as a job. Its plain form is below, so the two are a pair:
// machines call this one.
func lookupAsync(ctx context.Context, c client, name string) *job.Job[string] {
	s := job.NewSource[string]()
	stop := c.lookup(name, func(address string, err error) { s.TrySet(address, err) })
	unwatch := context.AfterFunc(ctx, func() {
		stop()
		s.TrySetCanceledCause(context.Cause(ctx)) // does nothing if done was quicker
	})
	return job.Finally(context.WithoutCancel(ctx), s.Job(), func(context.Context) error {
		unwatch() // or ctx would keep all this alive
		return nil
	})
}

// lookup blocks.
func lookup(ctx context.Context, c client, name string) (string, error) {
	return lookupAsync(ctx, c, name).Wait(ctx)
}

// visit uses it like any other function.
//
//movenext:async
func visit(ctx context.Context, c client, name string) (string, error) {
	address, err := lookup(ctx, c, name)
	if err != nil {
		return "", err
	}
	return "visited " + address, nil
}

func main() {
	fmt.Println(visitAsync(context.Background(), client{time.Millisecond}, "ann").Wait(context.Background()))

	ctx, cancel := context.WithCancelCause(context.Background())
	j := visitAsync(ctx, client{time.Hour}, "bob")
	cancel(errors.New("changed my mind"))
	_, err := j.Wait(context.Background())
	fmt.Println(err)
}
