package parallel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

func ExampleOption() {
	ctx := context.Background()
	squares := make([]int, 1000)
	square := func(_ context.Context, i int) error {
		squares[i] = i * i
		return nil
	}
	for _, partition := range []parallel.Option{parallel.Stealing(), parallel.Range(), parallel.Chunk(10)} {
		clear(squares)
		err := parallel.For(ctx, 0, len(squares), square, partition, parallel.Degree(4))
		fmt.Println(squares[999], err)
	}
	// Output:
	// 998001 <nil>
	// 998001 <nil>
	// 998001 <nil>
}

func ExampleOrdered() {
	double := func(_ context.Context, i int) (int, error) { return 2 * i, nil }
	fmt.Println(parallel.Map(context.Background(), []int{3, 1, 2}, double, parallel.Ordered()))
	// Output: [6 2 4] <nil>
}

func ExampleAsCompleted() {
	double := func(_ context.Context, i int) (int, error) { return 2 * i, nil }
	results, err := parallel.Map(context.Background(), []int{3, 1, 2}, double, parallel.AsCompleted())
	slices.Sort(results) // whichever ended first was first
	fmt.Println(results, err)
	// Output: [2 4 6] <nil>
}

func ExampleWorker() {
	total, err := parallel.Run(context.Background(), func(w *parallel.Worker) (int, error) {
		a, b := parallel.Join2(w, func(*parallel.Worker) int { return 20 }, func(*parallel.Worker) int { return 22 })
		return a + b, w.Err()
	})
	fmt.Println(total, err)
	// Output: 42 <nil>
}

func ExampleFilter() {
	short, err := parallel.Filter(context.Background(), []string{"one", "three", "six", "seven"},
		func(_ context.Context, word string) (bool, error) { return len(word) == 3, nil })
	fmt.Println(short, err)
	// Output: [one six] <nil>
}

func ExampleGroupBy() {
	byLength, err := parallel.GroupBy(context.Background(), []string{"one", "three", "six", "seven"},
		func(_ context.Context, word string) (int, error) { return len(word), nil })
	fmt.Println(byLength, err)
	// Output: map[3:[one six] 5:[three seven]] <nil>
}

func ExampleDistinct() {
	firsts, err := parallel.Distinct(context.Background(), []string{"one", "three", "six", "seven"},
		func(_ context.Context, word string) (byte, error) { return word[0], nil })
	fmt.Println(firsts, err)
	// Output: [one three six] <nil>
}

// The account after each booking.
func ExampleScan() {
	add := func(a, b int) int { return a + b }
	balances, err := parallel.Scan(context.Background(), []int{100, -30, 5}, 0,
		func(_ context.Context, balance, booking int) (int, error) { return add(balance, booking), nil }, add)
	fmt.Println(balances, err)
	// Output: [100 70 75] <nil>
}

// Two stages, each with its own degree: three fetch, and one parses, leaving out empty
// pages. No page is fetched before there is room for it.
func ExampleStage() {
	ctx := context.Background()
	fetch := func(ctx context.Context, url string) *job.Job[string] {
		return job.Run(ctx, func(context.Context) (string, error) { return strings.TrimPrefix(url, "/"), nil })
	}
	parse := func(_ context.Context, page string) *job.Job[int] {
		if page == "" {
			return job.FromError[int](parallel.ErrSkip)
		}
		return job.FromResult(len(page))
	}
	urls := parallel.FromSlice([]string{"/home", "/", "/index"})
	pages := parallel.StageAsync(ctx, urls, fetch, parallel.Degree(3))
	for length, err := range parallel.Stage(ctx, pages, parse, parallel.Degree(1)) {
		fmt.Println(length, err)
	}
	// Output:
	// 4 <nil>
	// 5 <nil>
}
