package vet_test

import (
	"fmt"

	"github.com/movenext/movenext/codegen/vet"
)

// The checks, as the analyzer describes itself to go vet and to linters.
func Example() {
	fmt.Println(vet.Analyzer.Name)
	fmt.Println(vet.Analyzer.Doc)
	// Output:
	// movenext
	// report misuse of jobs and of asynchronous functions
	//
	// The checks are:
	//
	// 	droppedjob   a job without a waiter: its result, error and panic are lost
	// 	blocking     a call, a channel operation or a select that blocks the worker of an asynchronous function
	// 	heldlock     a sync.Mutex that is held while an asynchronous function is suspended
	// 	plainform    the plain form of a twin, called where it blocks: in a job's function, in a literal that is kept
	// 	indirect     a call that reaches the plain form of a twin, which blocks, through an interface, a func value or a plain function
	// 	halfpair     a type that has the two forms of a pair of twins from different places
	// 	dropcontext  a function with a context that passes another on: home, deadline and values are lost
	// 	threadlock   a goroutine that is locked to its thread when an asynchronous function is suspended
	// 	traceregion  a region of runtime/trace that is open when an asynchronous function is suspended
	// 	hiddenpoint  a call in a durable function that reaches a step through another package, where the step is a plain call
	// 	localtype    a value in an interface that outlives an annotated function, with a type that the function declares
	// 	realtime     a wait for real time, such as context.WithTimeout, in code that a test runs with jobtest, where time is virtual
	// 	stale        generated code of an older version of its function, or of a function that is gone
	// 	allow        an excuse, //movenext:allow CHECK REASON, that excuses nothing or lacks a part
}
