package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// /thread: "0 ann 1 bob 1 ann 2 bob ", <nil>
	// commit
	// /move: "ann has 70, bob has 30", <nil>
	// roll back
	// /moves: "", ann has 100
	// /thread: "", no such user
	// /: "", no such page
}
