package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	//  0.0 s  [          ]   2 %
	//  2.0 s  [#####     ]  50 %
	//  4.0 s  [#######   ]  70 %
	//  6.0 s  [########  ]  87 %
	//  8.0 s  [##########] 100 %
	// <nil>
	// beat 1
	// beat 2
	// beat 4
	// beat 5
	// <nil> enough
}
