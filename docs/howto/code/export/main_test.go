package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// span checkout has an event: started
	// span checkout ends: Faulted
	// level=WARN msg="movenext: job ended" name=checkout status=Faulted
	// movenext_function_suspensions_count{function="checkout"} 1
}
