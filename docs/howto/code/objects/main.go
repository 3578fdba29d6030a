// A pool of connections that are expensive to make: two connections for six callers, one of
// which finds its connection broken.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// line is a connection. One caller at a time has it, so it needs no lock.
type line struct{ number, questions int }

// exchange is where lines come from.
type exchange struct{ dialed int }

// dial takes a second.
//
//movenext:async
func (e *exchange) dial(ctx context.Context) (*line, error) {
	e.dialed++
	l := &line{number: e.dialed}
	return l, job.Sleep(ctx, time.Second)
}

// ask takes three seconds, on a line of the pool.
//
//movenext:async
func ask(ctx context.Context, lines *coord.ObjectPool[*line]) error {
	return lines.Use(ctx, func(ctx context.Context, l *line) error {
		l.questions++
		if err := job.Sleep(ctx, 3*time.Second); err != nil {
			return err
		}
		if l.number == 1 && l.questions == 2 {
			return fmt.Errorf("line %d: %w", l.number, coord.ErrBroken)
		}
		fmt.Printf("an answer on line %d\n", l.number)
		return nil
	})
}

func main() {
	sim := simulation.New(1) // whose seconds take no time
	ctx := schedulers.With(context.Background(), sim)
	e := new(exchange)
	lines := coord.NewObjectPool(2, e.dialAsync,
		coord.OnPut(func(l *line) error {
			if l.questions == 3 { // it has served long enough
				return errors.New("worn out")
			}
			return nil
		}),
		coord.OnDiscard(func(l *line) { fmt.Println("hangs up line", l.number) }),
	)
	var all []*job.Job[job.Void]
	for range 6 {
		all = append(all, askAsync(ctx, lines))
	}
	err := sim.Run()
	for i, j := range all {
		if j.Err() != nil {
			fmt.Printf("caller %d: %v\n", i+1, j.Err())
		}
	}
	fmt.Printf("%v, %+v %v\n", sim.Now(), lines.Metrics(), err)
	lines.Close()
	_, err = lines.Get(ctx)
	fmt.Println("closed:", errors.Is(err, coord.ErrClosed))
}
