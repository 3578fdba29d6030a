package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the file does not exist
	// a bug: index out of range
	// no answer in time; the work continues
	// it was canceled
	// open a.txt: file does not exist
	// open b.txt: file does not exist
}
