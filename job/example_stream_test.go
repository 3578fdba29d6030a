package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/movenext/movenext/job"
)

func ExampleStream() {
	s := job.StreamOf(func(yield func(int, error) bool) {
		defer fmt.Println("closed")
		_ = yield(1, nil) && yield(2, nil) && yield(3, nil)
	})
	for v, err := range s.All() { // in a function marked //movenext:async, this suspends
		fmt.Println(v, err)
		if v == 2 {
			break
		}
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// closed
}

func ExampleStreamOf() {
	for v, err := range job.StreamOf(func(yield func(string, error) bool) { yield("", errors.New("nothing to read")) }).All() {
		fmt.Printf("%q %v\n", v, err)
	}
	// Output: "" nothing to read
}

// Two streams side by side, which a range cannot do.
func ExampleStream_Pull() {
	ctx := context.Background()
	words := job.StreamOf(func(yield func(string, error) bool) {
		defer fmt.Println("words closed")
		_ = yield("one", nil) && yield("two", nil) && yield("three", nil)
	}).Pull()
	numbers := job.StreamOf(func(yield func(int, error) bool) { _ = yield(1, nil) && yield(2, nil) }).Pull()
	for {
		n, err := numbers.Next(ctx)
		if err == io.EOF {
			break
		}
		w, err := words.Next(ctx) // in a function marked //movenext:async, this suspends
		fmt.Println(n, w, err)
	}
	fmt.Println(words.Stop(ctx))
	// Output:
	// 1 one <nil>
	// 2 two <nil>
	// words closed
	// <nil>
}

func ExamplePuller() {
	ctx := context.Background()
	p := job.StreamOf(func(yield func(string, error) bool) { yield("first", nil) }).Pull()
	first := p.NextAsync(ctx) // a job: it can be awaited together with others
	fmt.Println(first.Wait(ctx))
	fmt.Println(p.NextAsync(ctx).Wait(ctx))
	// Output:
	// first <nil>
	//  EOF
}
