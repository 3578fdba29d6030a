package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// nine requests, three in flight: 3s, 3 in flight, <nil>
	// four of one tenant, one each: 4s, 2 in flight, <nil>
	// fifty-one, ten a second: 5s, 0 in flight, <nil>
}
