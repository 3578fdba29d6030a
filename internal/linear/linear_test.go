package linear_test

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/linear"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// register is the model of a variable: the state is the value.
func register(state []int, c linear.Call) ([]int, bool) {
	if c.Op == "write" {
		return []int{c.Arg}, true
	}
	return state, c.Got == state[0]
}

func ExampleLinearizable() {
	write := linear.Call{Op: "write", Arg: 1}.At(1, 4)
	early := linear.Call{Op: "read", Got: 1}.At(2, 3)
	late := linear.Call{Op: "read", Got: 0}.At(5, 6)
	anyEnd := func([]int) bool { return true }

	fmt.Println("read while it is written:", linear.Linearizable([]linear.Call{write, early}, []int{0}, register, anyEnd))
	fmt.Println("read after it was written, and not seen:", linear.Linearizable([]linear.Call{write, late}, []int{0}, register, anyEnd))
	// Output:
	// read while it is written: true
	// read after it was written, and not seen: false
}

func ExampleHistory() {
	var h linear.History
	h.Begin("write", 7).End(0, true)
	h.Begin("read", 0).End(7, true)
	fmt.Println(h.Linearizable([]int{0}, register, func(state []int) bool { return state[0] == 7 }))
	// Output: true
}
