package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// for red: {"tenant":"red"}
	// for blue: {"tenant":"blue"}
	// for nobody: no labels
}
