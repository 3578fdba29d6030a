// A log in which each line names its request, also after a wait that ends on another
// goroutine.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/movenext/movenext/job"
)

// requestKey is the key of a request's id in its context.
type requestKey struct{}

// requests is a handler that adds the id of the request to each line.
type requests struct{ slog.Handler }

// Handle adds the id in the context.
func (h requests) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the wrapper: the embedded one would return the handler within.
func (h requests) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requests{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the wrapper, too.
func (h requests) WithGroup(name string) slog.Handler { return requests{h.Handler.WithGroup(name)} }

// checkout does not deal with ids.
//
//movenext:async
func checkout(ctx context.Context, log *slog.Logger, stock *job.Job[int]) error {
	log.InfoContext(ctx, "asks for the stock")
	left, err := stock.Await()
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "has an answer", "left", left)
	return nil
}

// logger writes lines without a time, which would differ from run to run.
func logger(w io.Writer) *slog.Logger {
	return slog.New(requests{slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})})
}

func main() {
	log := logger(os.Stdout).With("service", "shop")
	var stock [2]job.Source[int]
	var done [2]*job.Job[job.Void]
	for i, id := range []string{"r1", "r2"} {
		ctx := context.WithValue(context.Background(), requestKey{}, id)
		done[i] = checkoutAsync(ctx, log, stock[i].Job())
	}
	// The answers come in another order, and the machines continue on a pool.
	for _, i := range []int{1, 0} {
		stock[i].TrySetResult(10 * i)
		if _, err := done[i].Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
}
