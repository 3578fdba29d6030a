package tables

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBuy(t *testing.T) {
	forms := map[string]func(context.Context, map[string]int, string) (int, error){
		"plain": buy,
		"machine": func(ctx context.Context, stock map[string]int, what string) (int, error) {
			return buyAsync(ctx, stock, what).Wait(ctx)
		},
	}
	for name, buy := range forms {
		for _, c := range []struct {
			what  string
			price int
			err   error
		}{
			{"tea", 3, nil},
			{"coffee", 0, errSoldOut},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // an hour passes at once
					ctx := schedulers.With(t.Context(), pool.New())
					price, err := buy(ctx, map[string]int{"tea": 3}, c.what)
					assert.Equal(t, c.price, price)
					assert.ErrorIs(t, err, c.err)
				})
			})
		}
	}
}

// buysTea is a test that can be run in both forms.
//
//movenext:async
func buysTea(ctx context.Context) error {
	price, err := buy(ctx, map[string]int{"tea": 3}, "tea")
	if err == nil && price != 3 {
		err = fmt.Errorf("the price is %d", price)
	}
	return err
}

func TestBuyInBothForms(t *testing.T) { jobtest.BothForms(t, buysTea, buysTeaAsync) }
