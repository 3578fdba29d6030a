package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// one after the other
	//   loading data1
	//   loading data2
	//   loading data3
	//   sum: 111 <nil>
	// all at once
	//   loading data3
	//   loading data2
	//   loading data1
	//   sum: 111 <nil>
	// any of them
	//   loading data1
	//   the oldest was first: true
	//   sum: 1 <nil>
	// a sub-job that waits for its sibling
	//   data2 needs data1
	//   loading data1
	//   sum: 11 <nil>
}
