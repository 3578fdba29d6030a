package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	//   open
	//   fetch 1
	//   read 1
	//   fetch 2
	//   read 2
	//   close
	//   done
	// as plain Go: <nil>
	//   open
	//   fetch 1
	//   read 1
	//   fetch 2
	//   read 2
	//   close
	//   done
	// as machines: <nil>
	//   open
	//   fetch 1
	// canceled: context canceled
	//   close
}
