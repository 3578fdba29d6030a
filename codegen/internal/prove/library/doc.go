// Package library runs the tests of the standard library, and of third-party modules, through
// machines. They were written for the plain functions, know nothing of machines, and cover
// nearly every line of code that all kinds of people have written in fifteen years.
//
// # The idea
//
// A package is copied, and in the copy each function is annotated and gets suspension points between its statements. The
// generator makes machines of the functions. Only then a way into the machine is put in front of each function's
// body, so that there is one binary in which every function of the package has both forms:
//
//	func Cut(s, sep string) (before, after string, found bool) {
//		if point.On(17) {
//			var t statemachine.Task
//			m, v0, v1, v2 := CutEnter(&t, s, sep)
//			if m != nil {
//				point.Finish(&t)
//				v0, v1, v2 = m.Results(&statemachine.Task{})
//			}
//			return v0, v1, v2
//		}
//		point.Here(40)
//		...
//	}
//
// The binary runs the tests twice, with On false and with On true, and what passes the first time has to pass the second time. So
// a call by a test enters a machine; calls among lowered functions within it are calls among machines; and what is called by something that is
// none (a function that is refused, a literal, an interface's caller in another package) enters a machine anew.
//
// # Whose stack
//
// Tests call t.FailNow in functions that they pass down, look at panics, and hold locks. So a machine that has suspended goes
// on where it was called: its home is a loop on the goroutine that called it ([pointSource]). A panic passes through with its value,
// and a runtime.Goexit ends the goroutine of the test, as it would have.
//
// # Where copies are
//
// A copy has to import internal packages of the library, some of its functions are assembly or in the runtime, and some tests open
// "../testdata". Therefore copies lie beside their originals, in an installation of Go that consists of links (tree.go). The
// assembly is copied, and functions of the runtime are linked by their names.
//
// A third-party module is copied whole, and is no copy to those that import it: there is no
// original in the binary. So its packages stay where they are in it, all of them are annotated,
// and a call between two of them is one between machines (module.go).
//
// # What cannot be the same
//
// Machines allocate, and so testing.AllocsPerRun returns to machines what it has returned to the plain form. Tests that look at
// their callers' lines or at the depth of the stack are left out by name (leftout.go). So is what the copy fails at as plain Go, since
// it says nothing about machines: mostly tests for which a type or an error of the copy should be that of the original.
package library
