package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 100 in main.upload 23 more than 300 KB: true
	// 1000 in main.poll 35 more than 300 KB: false
}
