package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the waiters of the data:
	//   main.read, suspended at main.go:19
	//   main.parse, suspended at main.go:28
	//   main.serve, suspended at main.go:34
	// job: panic: too much to read
	// the waiters when it panicked:
	//   main.read, running
	//   main.parse, suspended at main.go:28
	//   main.serve, suspended at main.go:34
}
