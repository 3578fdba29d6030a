package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// one worker; items of the large batch before the small batch's
	//   one queue:        first item 20000, last item 20000, <nil>
	//   a queue for each: first item     2, last item   101, <nil>
	// four workers: the small batch's share is within 10 % of a half: true, <nil>
}
