package schedulers

// digit returns the function of the digit d; see [RunOn]. The sixteen functions differ only
// in their addresses, which identify them on a stack.
func digit(d int) func(w Work, on Worker, n, left int) {
	switch d {
	case 0:
		return digit0
	case 1:
		return digit1
	case 2:
		return digit2
	case 3:
		return digit3
	case 4:
		return digit4
	case 5:
		return digit5
	case 6:
		return digit6
	case 7:
		return digit7
	case 8:
		return digit8
	case 9:
		return digit9
	case 10:
		return digit10
	case 11:
		return digit11
	case 12:
		return digit12
	case 13:
		return digit13
	case 14:
		return digit14
	default:
		return digit15
	}
}

//go:noinline
func digit0(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit1(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit2(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit3(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit4(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit5(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit6(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit7(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit8(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit9(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit10(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit11(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit12(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit13(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit14(w Work, on Worker, n, left int) { descend(w, on, n, left) }

//go:noinline
func digit15(w Work, on Worker, n, left int) { descend(w, on, n, left) }
