package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// steps of the job that feeds itself: 600
	// job 1 from outside had to wait for no more than 61 of them: true
	// job 2 from outside had to wait for no more than 122 of them: true
	// job 3 from outside had to wait for no more than 183 of them: true
	// the queue from outside came first: 3 times
}
