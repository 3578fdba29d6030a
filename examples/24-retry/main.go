// Command 24-retry asks one mirror after another, and all of them again after a pause. It is the
// function that docs/explain.md draws: two suspension points, and four ways between them.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

var errBusy = errors.New("busy")

// fetch simulates a request: mirrors are busy, except the last one at the second attempt.
//
//movenext:async
func fetch(ctx context.Context, mirror string, round int) (string, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return "", err
	}
	if round == 0 || mirror == "north" {
		return "", errBusy
	}
	return "a page from " + mirror, nil
}

//movenext:async
func fetchAny(ctx context.Context, mirrors ...string) (string, error) {
	for round := range 3 {
		for _, mirror := range mirrors {
			page, err := fetch(ctx, mirror, round)
			if err == nil {
				return page, nil
			}
			fmt.Println(mirror, err)
		}
		pause := time.Millisecond << round
		if err := job.Sleep(ctx, pause); err != nil {
			return "", err
		}
	}
	return "", errBusy
}

func main() {
	fmt.Println(fetchAnyAsync(context.Background(), "north", "south").Wait(context.Background()))
}
