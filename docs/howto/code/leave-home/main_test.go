package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a function that leaves its home
	//   load begins on the loop
	//   and continues on the pool
	//   its caller is on the loop and shows 42 <nil>
	// a part that runs elsewhere
	//   the part runs on the pool
	//   the rest runs on the loop
	//   its caller is on the loop and shows 42 <nil>
	// error: <nil>
}
