package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// merge       [a1 b1 a2 a3 b2 b3]
	// zip         [a1b1 a2b2 a3b3]
	// combine     [a1b1 a2b1 a2b2 a3b2 a3b3]
	// debounce    [job jobs]
	// flatLatest  [j#1 j#2 jo#1 jo#2 job#1 job#2 job#3 jobs#1 jobs#2 jobs#3]
	// batch       [[j jo] [job] [jobs]]
	// <nil> <nil>
	// Join        [Bob2 Bea2 Ann1] <nil>
	// SelectMany  [tea milk cup] <nil>
	// Zip         [11 22] <nil>
}
