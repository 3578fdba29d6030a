package parallel_test

import (
	"context"
	"fmt"
	"slices"

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
