// Package deploys plays rolling deploys of a durable function with orders in flight.
package deploys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/docs/howto/code/deploys/effects"
	"github.com/movenext/movenext/docs/howto/code/deploys/v1"
	"github.com/movenext/movenext/docs/howto/code/deploys/v2"
	"github.com/movenext/movenext/docs/howto/code/deploys/v3"
	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// worker is a program of one version.
type worker struct {
	engine *durable.Engine
	orders *durable.Served[int, string]
}

// serves opens a worker with a version of the function.
func serves[S any](ctx context.Context, store stores.Store, f durable.Function[S, int, string], s S) (worker, error) {
	e, err := durable.Open(ctx, store, durable.Poll(10*time.Millisecond))
	if err != nil {
		return worker{}, err
	}
	return worker{e, durable.Serve(e, f, s)}, nil
}

// Roll starts orders under version 1, replaces two workers one after the other by version 2, and
// those by version 3. Workers of two versions run side by side in between, and a part of the
// orders is approved at each moment. So many more are started by the newer worker, and the older
// one sends their approvals, so that it looks for them at once. It returns how many orders got
// stuck, and an error if an order did not end as it should. Roll blocks until all orders have
// ended.
func Roll(ctx context.Context, store stores.Store, shop *effects.Shop, orders int) (stuck uint64, err error) {
	versions := []func() (worker, error){
		func() (worker, error) { return serves(ctx, store, v1.OrderDurable, &v1.Shop{Shop: shop}) },
		func() (worker, error) { return serves(ctx, store, v2.OrderDurable, &v2.Shop{Shop: shop}) },
		func() (worker, error) { return serves(ctx, store, v3.OrderDurable, &v3.Shop{Shop: shop}) },
	}
	var fleet []worker
	defer func() {
		for _, w := range fleet {
			err = errors.Join(err, w.engine.Shutdown(context.WithoutCancel(ctx)))
			stuck += w.engine.Metrics().Stuck
		}
	}()
	for range 2 {
		w, err := versions[0]()
		if err != nil {
			return stuck, err
		}
		fleet = append(fleet, w)
	}
	for n := range orders {
		if _, err := fleet[n%2].orders.Start(ctx, fmt.Sprint("order ", n), n); err != nil {
			return stuck, err
		}
	}

	// Five moments: both of version 1, 1 and 2, both of 2, 2 and 3, both of 3.
	for moment := range 5 {
		if moment > 0 {
			old := fleet[0]
			w, err := versions[(moment+1)/2]()
			if err != nil {
				return stuck, err
			}
			fleet = append(fleet[1:], w)
			if err := old.engine.Shutdown(ctx); err != nil {
				return stuck, err
			}
			stuck += old.engine.Metrics().Stuck
		}
		price := 100 // of one euro, for the newer worker
		if moment == 0 {
			price = 1
		}
		for n := moment; n < orders; n += 5 {
			if _, err := fleet[1].orders.Start(ctx, fmt.Sprint("new ", n), price*n); err != nil {
				return stuck, err
			}
		}
		for n := moment; n < orders; n += 5 {
			for _, id := range []string{fmt.Sprint("order ", n), fmt.Sprint("new ", n)} {
				if err := fleet[0].engine.Signal(ctx, id, "approval", true); err != nil {
					return stuck, err
				}
			}
		}
	}
	for n := range orders {
		for _, id := range []string{fmt.Sprint("order ", n), fmt.Sprint("new ", n)} {
			receipt, err := fleet[0].orders.Handle(id).Wait(ctx)
			if err != nil {
				return stuck, err
			}
			if receipt != fmt.Sprintf("paid %d.00", n) {
				return stuck, fmt.Errorf("deploys: %s returned %q", id, receipt)
			}
		}
	}
	return stuck, nil
}
