// Requests of two tenants share one worker, and a profile distinguishes them.
package main

//go:generate go tool movenext .

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime/pprof"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// serve waits and computes for the tenant in the labels of ctx.
//
//movenext:async
func serve(ctx context.Context, tenant string) error {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return err
	}
	fmt.Println("for", tenant+":", labels())
	return nil
}

func main() {
	workers := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), workers)
	for _, tenant := range []string{"red", "blue"} {
		pprof.Do(ctx, pprof.Labels("tenant", tenant), func(ctx context.Context) {
			if _, err := serveAsync(ctx, tenant).Wait(ctx); err != nil {
				fmt.Println(err)
			}
		})
	}
	if _, err := serveAsync(ctx, "nobody").Wait(ctx); err != nil {
		fmt.Println(err)
	}
	if err := workers.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
}

var tenants = regexp.MustCompile(`# labels: (.*)\n(?:#.*\n)*?#.*\.labels\+`)

// labels returns what a profile shows for the calling goroutine.
func labels() string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	if found := tenants.FindSubmatch(profile.Bytes()); found != nil {
		return string(found[1])
	}
	return "no labels"
}
