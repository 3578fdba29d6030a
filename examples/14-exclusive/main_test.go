package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// balance after 10000 deposits: 10000
	//   the account: <nil>
	// two readers together, before the writer: [3 3] <nil>
	// a reader that came after the writer: 5 <nil>
	//   the stock: <nil>
	// shut down: <nil>
}
