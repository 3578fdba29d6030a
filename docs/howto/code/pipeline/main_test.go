package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 1 fetch, 1 count: 21 words in 8.5s, <nil>
	// 4 fetch, 1 count: 21 words in 4.5s, <nil>
	// 4 fetch, 2 count: 21 words in 3s, <nil>
}
