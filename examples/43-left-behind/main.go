// What a job starts and does not wait for. A function starts a job, the twin of another
// function and a sleep, and returns. All three continue, in the plain form and as a
// machine, and the context of the job that started them ends when the last of them has.
// The clock is a simulation's, so the sleep of an hour takes no time.
//
// The document behind it, step by step: docs/sources/job-model.md.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

//go:generate go tool movenext .

// left holds the operations that leave has started, and its context.
type left struct {
	job, twin, sleep *job.Job[job.Void]
	ctx              context.Context
}

// leave starts three operations and waits for none of them.
//
//movenext:async
func leave(ctx context.Context, l *left) error {
	if err := job.Sleep(ctx, time.Minute); err != nil { // as a machine, it suspends here
		return err
	}
	l.ctx = ctx
	l.job = job.Go(ctx, func(ctx context.Context) error { return job.Sleep(ctx, 20*time.Minute) })
	l.twin = restAsync(ctx)
	l.sleep = job.SleepAsync(ctx, time.Hour)
	return nil
}

//movenext:async
func rest(ctx context.Context) error { return job.Sleep(ctx, 40*time.Minute) }

// asMachine runs leave in a job: a call in an annotated function is a call of its machine.
//
//movenext:async
func asMachine(ctx context.Context, l *left) error {
	_, err := job.Go(ctx, func(ctx context.Context) error { return leave(ctx, l) }).Await()
	return err
}

// asPlainGo runs leave in a job, in its plain form.
func asPlainGo(ctx context.Context, l *left) error {
	_, err := job.Go(ctx, func(ctx context.Context) error { return leave(ctx, l) }).Wait(ctx)
	return err
}

// show prints which operations have ended after leave has, and after each of the three.
func show(form string, run func(context.Context, *left) error) {
	s := simulation.New(1)
	ctx, l := s.Context(context.Background()), &left{}
	err := run(ctx, l)
	say := func(when string, err error) {
		fmt.Printf("  %-18s %-7v job %-5t twin %-5t sleep %-5t context: %v\n", when, err,
			l.job.IsCompleted(), l.twin.IsCompleted(), l.sleep.IsCompleted(), l.ctx.Err())
	}
	fmt.Println(form)
	say("leave has returned", err)
	_, err = l.job.Wait(ctx)
	say("after 20 minutes", err)
	_, err = l.twin.Wait(ctx)
	say("after 40 minutes", err)
	_, err = l.sleep.Wait(ctx)
	say("after an hour", err)
}

func main() {
	show("as plain Go", asPlainGo)
	show("as a machine", func(ctx context.Context, l *left) error {
		_, err := asMachineAsync(ctx, l).Wait(ctx)
		return err
	})
}
