package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// steps of the job that feeds itself, before each of three jobs from outside:
	//   without the rule: [600 600 600] <nil>
	//   with it:          [60 120 180] <nil>
	// the library's scheduler: <nil>
	//   job 1 had to wait for no more than 61 steps: true
	//   job 2 had to wait for no more than 122 steps: true
	//   job 3 had to wait for no more than 183 steps: true
	//   the queue from outside came first: 3 times
}
