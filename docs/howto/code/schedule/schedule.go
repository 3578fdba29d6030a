// Package schedule has a schedule that survives its process: a durable function that sleeps and
// starts the work, for as long as nobody cancels it.
package schedule

//go:generate go tool movenext .

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable"
)

// Reports sends reports.
type Reports struct{ Send func(day time.Time) error }

// Daily is what a schedule is started with.
type Daily struct {
	First time.Time
	Every time.Duration
}

// Daily sends a report at each of the times. What was missed while no worker ran is sent at once,
// one after the other.
//
//movenext:durable name=schedule.Daily
func (r *Reports) Daily(ctx context.Context, d Daily) error {
	for at := d.First; ; at = at.Add(d.Every) {
		if err := durable.Sleep(ctx, time.Until(at)); err != nil {
			return err
		}
		if err := r.send(ctx, at); err != nil {
			return err
		}
	}
}

//movenext:step
func (r *Reports) send(_ context.Context, day time.Time) error { return r.Send(day) }
