package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// as plain Go
	//   leave has returned <nil>   job false twin false sleep false context: <nil>
	//   after 20 minutes   <nil>   job true  twin false sleep false context: <nil>
	//   after 40 minutes   <nil>   job true  twin true  sleep false context: <nil>
	//   after an hour      <nil>   job true  twin true  sleep true  context: context canceled
	// as a machine
	//   leave has returned <nil>   job false twin false sleep false context: <nil>
	//   after 20 minutes   <nil>   job true  twin false sleep false context: <nil>
	//   after 40 minutes   <nil>   job true  twin true  sleep false context: <nil>
	//   after an hour      <nil>   job true  twin true  sleep true  context: context canceled
}
