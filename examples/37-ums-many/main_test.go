package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// two scheduler threads: no more than two run: true - at once wait: 2500 <nil>
	//   shut down: <nil> - contexts that are left: 0
	// two plain threads:     no more than two run: true - at once wait: 2 <nil>
	//   shut down: <nil>
}
