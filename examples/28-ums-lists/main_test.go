package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// long work of A: picked by thread A
	// work of B: picked by thread B
	// a guest, while A is busy: picked by thread B
	// long work of B: picked by thread B
	// a guest, while B is busy: picked by thread A
	// both threads end: <nil> <nil>
}
