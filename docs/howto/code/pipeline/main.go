// A pipeline of two stages, each with its own degree, and the effect of the degrees on its time.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// fetch takes a second.
//
//movenext:async
func fetch(ctx context.Context, url string) (string, error) {
	return "page of " + url, job.Sleep(ctx, time.Second)
}

// count takes half a second. It skips pages without words.
//
//movenext:async
func count(ctx context.Context, page string) (int, error) {
	if strings.HasSuffix(page, "/empty") {
		return 0, parallel.ErrSkip
	}
	return len(strings.Fields(page)), job.Sleep(ctx, time.Second/2)
}

// words adds up the words of all pages.
//
//movenext:async
func words(ctx context.Context, urls []string, fetchers, counters int) (sum int, err error) {
	pages := parallel.StageAsync(ctx, parallel.FromSlice(urls), fetchAsync, parallel.Degree(fetchers))
	for n, err := range parallel.Stage(ctx, pages, countAsync, parallel.Degree(counters)) {
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

func main() {
	urls := []string{"/1", "/2", "/empty", "/4", "/5", "/6", "/7", "/8"}
	for _, degrees := range [][2]int{{1, 1}, {4, 1}, {4, 2}} {
		// A simulation has its own clock, so the program takes no time.
		s := simulation.New(1)
		ctx := schedulers.With(context.Background(), s)
		j := wordsAsync(ctx, urls, degrees[0], degrees[1])
		err := s.Run()
		sum, failed := j.GetResult()
		fmt.Printf("%d fetch, %d count: %d words in %v, %v\n", degrees[0], degrees[1], sum, s.Now().Round(time.Second/2), errors.Join(err, failed))
	}
}
