package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// WaitingForActivation
	// job  0
	// async function main.load 15
	// async function main.render 19
	// true
}
