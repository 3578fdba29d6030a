// Package library runs the tests of the standard library, and of third-party modules, through
// machines. These tests were written for the plain functions, know nothing of machines, and cover
// nearly every line of code that many authors have written over fifteen years.
//
// # The idea
//
// A package is copied. In the copy, each function is annotated and gets suspension points between
// its statements, and the generator makes machines of the functions. Only then does each
// function's body get code at its start that can enter the machine. So one binary contains both
// forms of every function of the package:
//
//	func Cut(s, sep string) (before, after string, found bool) {
//		if point.On(17) {
//			var r statemachine.Run
//			m, v0, v1, v2 := CutEnter(&r, s, sep)
//			if m != nil {
//				point.Finish(&r)
//				v0, v1, v2 = m.Results(&statemachine.Run{})
//			}
//			return v0, v1, v2
//		}
//		point.Here(40)
//		...
//	}
//
// The binary runs the tests twice, with On false and with On true. A test that passes the first
// time must also pass the second time. A call by a test enters a machine. Calls among lowered
// functions within it are calls among machines. A call by plain code (a refused function, a
// literal, a caller through an interface in another package) enters a new machine.
//
// # Whose stack
//
// Tests call t.FailNow in functions that they pass on, inspect panics, and hold locks. So a
// suspended machine continues where it was called: its home is a loop on the goroutine that called
// it ([pointSource]). A panic passes through with its value, and a runtime.Goexit ends the
// goroutine of the test, as in plain Go.
//
// # Where copies are
//
// A copy has to import internal packages of the library, some of its functions are implemented in
// assembly or in the runtime, and some tests open "../testdata". So copies are placed next to
// their originals, in an installation of Go that consists of links (tree.go). Assembly is copied,
// and functions of the runtime are linked by name.
//
// A third-party module is copied as a whole, and replaces the original for its importers: the
// binary does not contain the original. So its packages stay in their places, all of them are
// annotated, and a call between two of them is a call between machines (module.go).
//
// # Unavoidable differences
//
// Machines allocate, so for machines testing.AllocsPerRun returns the number that it returned for
// the plain form. Tests that inspect their callers' lines or the depth of the stack are excluded
// by name (leftout.go). Tests that fail in the copy as plain Go are also excluded, since they
// show nothing about machines: mostly tests that expect a type or an error of the original.
package library
