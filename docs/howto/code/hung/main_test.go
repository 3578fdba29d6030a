package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 2 wait for coord.Mutex in main.transfer 29
	// 1 wait for job in main.load 37
	// in a cycle: coord.Mutex in main.transfer 29
	// in a cycle: coord.Mutex in main.transfer 29
	// a job that is suspended
	//   in main.load 37
	//   in main.render 41
	// a job that is completed by hand
	// job  0
	// async function main.load 37
	// async function main.render 41
	// true
}
