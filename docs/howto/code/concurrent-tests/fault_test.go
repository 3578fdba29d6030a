package main

import (
	"context"
	"errors"
	"testing"

	"github.com/movenext/movenext/jobtest"
)

// save stands for a database, which may be full.
func save(ctx context.Context, place *int, v int) error {
	if jobtest.Fault(ctx, "the store is full") {
		return errors.New("the store is full")
	}
	*place = v
	return nil
}

func TestTransfer(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		from, to, pending := 100, 0, 0
		if save(ctx, &from, 90) == nil && save(ctx, &to, 10) != nil && save(ctx, &from, 100) != nil {
			pending = 10 // a second fault: the journal has it
		}
		if from+to+pending != 100 {
			return errors.New("money is lost")
		}
		return nil
	}, jobtest.Faults())
}
