package jobtest

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// BothForms tests an async function in both of its forms: the plain one, on goroutines in a
// bubble of testing/synctest, and its twin, in many schedules like [Explore] with opts. Time is
// virtual in both. A test that fails in only one of them has found a difference: a function that
// blocks where its machine suspends, or state that only one schedule protects.
//
//	jobtest.BothForms(t, checkout, checkoutAsync)
//
// The context of the plain form carries a pool that ends with the bubble. If goroutines wait
// forever, the bubble panics and lists them. BothForms blocks until both forms are done; [Run]
// describes the restriction on other tests.
func BothForms(t *testing.T, plain func(context.Context) error, twin func(context.Context) *job.Job[job.Void], opts ...Option) {
	t.Helper()
	t.Run("plain", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := pool.New()
			if err := plain(schedulers.With(t.Context(), p)); err != nil {
				t.Error(err)
			}
			if err := p.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("machines", func(t *testing.T) {
		Explore(t, func(ctx context.Context) error {
			_, err := twin(ctx).Wait(ctx)
			return err
		}, opts...)
	})
}
