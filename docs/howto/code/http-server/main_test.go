package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 200 "price of tea, stock of tea"
	// 504 "too slow\n"
	// 500 "internal error\n"
}
