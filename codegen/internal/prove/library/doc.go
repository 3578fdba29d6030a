// Package library runs the tests of the standard library, and of third-party
// modules, through machines. They were written for the plain functions, know
// nothing of machines, and cover nearly every line of code that many authors have
// written over fifteen years.
//
// # The idea
//
// A package is copied, and in the copy each function is annotated and gets suspension
// points between its statements. The generator makes machines of the functions. Only
// then does each function's body get an entry into the machine at its start. So one
// binary has both forms of every function of the package:
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
// The binary runs the tests twice, with On false and with On true, and a test that
// passes the first time must pass the second time. So a call by a test enters a
// machine; calls among lowered functions within it are calls among machines; and a call
// by plain code (a refused function, a literal, an interface's caller in another
// package) enters a new machine.
//
// # Whose stack
//
// Tests call t.FailNow in functions that they pass down, look at panics, and hold
// locks. So a suspended machine continues where it was called: its home is a loop on
// the goroutine that called it ([pointSource]). A panic passes through with its value,
// and a runtime.Goexit ends the goroutine of the test, as it would have.
//
// # Where copies are
//
// A copy has to import internal packages of the library, some of its functions are
// assembly or in the runtime, and some tests open "../testdata". Therefore copies lie
// next to their originals, in an installation of Go that consists of links (tree.go).
// The assembly is copied, and functions of the runtime are linked by their names.
//
// A third-party module is copied whole, and replaces the original for its importers:
// the binary has no original. So its packages keep their places in it, all of them are
// annotated, and a call between two of them is one between machines (module.go).
//
// # What cannot be the same
//
// Machines allocate, so testing.AllocsPerRun returns to machines the number that it
// returned to the plain form. Tests that look at their callers' lines or at the depth
// of the stack are left out by name (leftout.go). So are tests that fail in the copy as
// plain Go, since they say nothing about machines: mostly tests for which a type or an
// error of the copy should be that of the original.
package library
