// A C library with callbacks, wrapped so that its calls can be awaited and canceled. It is a
// separate module, since it needs a C compiler.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/movenext/movenext/docs/howto/code/cgo/dns"
	"github.com/movenext/movenext/job"
)

// visit uses the library like any other function.
//
//movenext:async
func visit(ctx context.Context, name string, takes time.Duration) (string, error) {
	address, err := dns.Lookup(ctx, name, takes)
	if err != nil {
		return "", err
	}
	return "visited " + address, nil
}

func run(ctx context.Context, out io.Writer) {
	defer dns.Drain()
	text, err := visitAsync(ctx, "ann", time.Millisecond).Wait(ctx)
	fmt.Fprintln(out, text, err)

	canceled, cancel := context.WithCancelCause(ctx)
	j := visitAsync(canceled, "bob", time.Hour)
	cancel(errors.New("changed my mind"))
	_, err = j.Wait(ctx)
	fmt.Fprintln(out, err)

	jobs := make([]*job.Job[string], 100)
	for i := range jobs {
		jobs[i] = visitAsync(ctx, strconv.Itoa(i), time.Millisecond)
	}
	all, err := job.WhenAll(jobs...).Wait(ctx)
	fmt.Fprintln(out, len(all), all[99], err)
}

func main() { run(context.Background(), os.Stdout) }
