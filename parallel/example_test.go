package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

func ExampleFor() {
	squares := make([]int, 5)
	err := parallel.For(context.Background(), 0, len(squares), func(_ context.Context, i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}

// The first error stops the loop; a panic is an error too.
func ExampleFor_failure() {
	err := parallel.For(context.Background(), 0, 1000, func(_ context.Context, i int) error {
		if i == 0 {
			return errors.New("no")
		}
		return nil
	})
	fmt.Println(err)

	err = parallel.For(context.Background(), 0, 1, func(context.Context, int) error { panic("oops") })
	var p *job.PanicError
	fmt.Println(errors.As(err, &p), err)
	// Output:
	// no
	// true job: panic: oops
}

// A body of a few instructions gets a block of indexes at a time.
func ExampleForBlocks() {
	numbers := make([]int, 1_000_000)
	err := parallel.ForBlocks(context.Background(), 0, len(numbers), func(_ context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			numbers[i] = 2 * i
		}
		return nil
	})
	fmt.Println(numbers[len(numbers)-1], err)
	// Output: 1999998 <nil>
}

func ExampleForEach() {
	words := map[string]int{"one": 1, "two": 2, "three": 3}
	found := make(chan string, len(words))
	err := parallel.ForEach(context.Background(), maps.Keys(words), func(_ context.Context, word string) error {
		found <- strings.ToUpper(word)
		return nil
	}, parallel.Degree(2))
	close(found)
	fmt.Println(len(found), err)
	// Output: 3 <nil>
}

func ExampleInvoke() {
	var a, b string
	err := parallel.Invoke(context.Background(),
		func(context.Context) error { a = "left"; return nil },
		func(context.Context) error { b = "right"; return nil },
	)
	fmt.Println(a, b, err)
	// Output: left right <nil>
}

func ExampleMap() {
	lengths, err := parallel.Map(context.Background(), []string{"a", "bc", "def"}, func(_ context.Context, s string) (int, error) {
		return len(s), nil
	})
	fmt.Println(lengths, err)
	// Output: [1 2 3] <nil>
}

// Only neighbours are merged, so the order of the items is kept.
func ExampleReduce() {
	text, err := parallel.Reduce(context.Background(), []string{"to", "be", "or", "not"}, "",
		func(_ context.Context, acc, word string) (string, error) { return acc + " " + word, nil },
		func(a, b string) string { return a + b })
	fmt.Println(text, err)
	// Output: to be or not <nil>
}

func ExampleSort() {
	numbers := []int{3, 1, 2}
	err := parallel.Sort(context.Background(), numbers)
	fmt.Println(numbers, err)
	// Output: [1 2 3] <nil>
}

func ExampleSortFunc() {
	words := []string{"ccc", "a", "bb"}
	err := parallel.SortFunc(context.Background(), words, func(a, b string) int { return len(b) - len(a) })
	fmt.Println(words, err)
	// Output: [ccc bb a] <nil>
}

func ExampleSortStableFunc() {
	words := []string{"b1", "a1", "b2", "a2"}
	err := parallel.SortStableFunc(context.Background(), words, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	fmt.Println(words, err)
	// Output: [a1 a2 b1 b2] <nil>
}

// Ten thousand bodies sleep at the same time, and hold no goroutine meanwhile.
func ExampleForEachAsync() {
	items := slices.Repeat([]time.Duration{time.Millisecond}, 10_000)
	j := parallel.ForEachAsync(context.Background(), items, job.SleepAsync, parallel.Degree(len(items)))
	_, err := j.Await()
	fmt.Println(j.Status(), err)
	// Output: Completed <nil>
}

func ExampleMapAsync() {
	ask := func(ctx context.Context, name string) *job.Job[string] {
		return job.Run(ctx, func(context.Context) (string, error) { return "hello, " + name, nil })
	}
	answers, err := parallel.MapAsync(context.Background(), []string{"Ann", "Bob"}, ask, parallel.Degree(2)).Await()
	fmt.Println(answers, err)
	// Output: [hello, Ann hello, Bob] <nil>
}

func fib(w *parallel.Worker, n int) int {
	if n < 2 {
		return n
	}
	a, b := parallel.Join(w, fib, n-1, n-2)
	return a + b
}

// Each call forks, down to the last: nothing is allocated, so no threshold is needed.
func ExampleJoin() {
	n, err := parallel.Run(context.Background(), func(w *parallel.Worker) (int, error) { return fib(w, 20), nil })
	fmt.Println(n, err)
	// Output: 6765 <nil>
}

func ExampleJoin2() {
	numbers := []int{5, 3, 9, 1}
	type extremes struct{ least, greatest int }
	e, err := parallel.Run(context.Background(), func(w *parallel.Worker) (extremes, error) {
		least, greatest := parallel.Join2(w,
			func(*parallel.Worker) int { return slices.Min(numbers) },
			func(*parallel.Worker) int { return slices.Max(numbers) })
		return extremes{least, greatest}, nil
	})
	fmt.Println(e, err)
	// Output: {1 9} <nil>
}

// tree counts its nodes.
type tree struct{ kids []*tree }

func size(w *parallel.Worker, t *tree) int {
	forks := make([]parallel.Forked[*tree, int], len(t.kids))
	for i, kid := range t.kids {
		forks[i] = parallel.Fork(w, size, kid)
	}
	n := 1
	for _, f := range forks {
		n += f.Join(w)
	}
	return n
}

func ExampleFork() {
	leaf := &tree{}
	root := &tree{kids: []*tree{leaf, {kids: []*tree{leaf, leaf}}, leaf}}
	n, err := parallel.Run(context.Background(), func(w *parallel.Worker) (int, error) { return size(w, root), nil })
	fmt.Println(n, err)
	// Output: 6 <nil>
}

// search looks for a number in all parts at once. The part that finds it stops the others.
func search(w *parallel.Worker, part []int) int {
	if w.Err() != nil {
		return 0
	}
	if len(part) == 1 {
		if part[0] != 42 {
			return 0
		}
		w.Cancel(nil)
		return part[0]
	}
	half := len(part) / 2
	a, b := parallel.Join(w, search, part[:half], part[half:])
	return a + b
}

func ExampleWorker_Cancel() {
	found, err := parallel.Run(context.Background(), func(w *parallel.Worker) (int, error) {
		return search(w, []int{7, 42, 9, 11}), nil
	})
	fmt.Println(found, err)
	// Output: 42 <nil>
}

// A panic in a fork leaves the join, wherever the fork ran.
func ExampleRun_panic() {
	_, err := parallel.Run(context.Background(), func(w *parallel.Worker) (int, error) {
		a, b := parallel.Join(w, func(_ *parallel.Worker, n int) int { return 10 / n }, 1, 0)
		return a + b, nil
	})
	fmt.Println(err)
	// Output: job: panic: runtime error: integer divide by zero
}

func ExampleChunk() {
	err := parallel.For(context.Background(), 0, 3, func(_ context.Context, i int) error {
		fmt.Println("page", i)
		return nil
	}, parallel.Degree(1), parallel.Chunk(1))
	fmt.Println(err)
	// Output:
	// page 0
	// page 1
	// page 2
	// <nil>
}
