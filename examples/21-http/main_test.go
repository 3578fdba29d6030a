package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// serving Ann
	// error: <nil>
	// profile of Ann | orders of Ann | news of Ann
	// error: <nil>
	// serving Never
	// canceled: true
	// status of the request: Canceled true
}
