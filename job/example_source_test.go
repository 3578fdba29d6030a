package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/movenext/movenext/job"
)

func ExampleSource() {
	s := job.NewSource[string]()
	go s.TrySetResult("from elsewhere")
	fmt.Println(s.Job().Await())
	// Output: from elsewhere <nil>
}

func ExampleNewSource() {
	s := job.NewSource[int]()
	fmt.Println(s.TrySetResult(1), s.TrySetResult(2), s.TrySetError(errors.New("late")))
	fmt.Println(s.Job().GetResult())
	// Output:
	// true false false
	// 1 <nil>
}

func ExampleSource_TrySet() {
	read := func() (int, error) { return 512, io.EOF }
	s := job.NewSource[int]()
	s.TrySet(read())
	fmt.Println(s.Job().GetResult())
	// Output: 512 EOF
}

func ExampleSource_TrySetCanceledCause() {
	s := job.NewSource[int]()
	s.TrySetCanceledCause(errors.New("no longer needed"))
	fmt.Println(s.Job().Status(), s.Job().Err())
	fmt.Println(errors.Is(s.Job().Err(), context.Canceled))
	// Output:
	// Canceled context canceled: no longer needed
	// true
}
