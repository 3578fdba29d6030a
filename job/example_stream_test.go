package job_test

import (
	"errors"
	"fmt"

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
