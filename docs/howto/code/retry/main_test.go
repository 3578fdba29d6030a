package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// page one <nil>
	//  no such page
	// retry: the budget is spent after attempt 2: busy true true
	// a page for request 2 <nil>
}
