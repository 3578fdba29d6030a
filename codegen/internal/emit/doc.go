// Package emit prints the declarations of one annotated function.
//
// Its input is a function for which everything has been decided: the instructions of MoveNext,
// where each variable lives, and what each is called ([Function]). Its output is unformatted text
// and the findings made on the way, about types that the generated file cannot name. It makes no
// decisions about the function, and reads nothing of the source but its text.
//
// For fetch, these are the declarations:
//
//	func fetchAsync(ctx context.Context, url string) *job.Job[int]      for users
//	func fetchEnter(r *statemachine.Run, ctx …) (*fetchFrame, int)     for other machines
//	func fetchNested(r *statemachine.Run, …) (*fetchFrame, int)        likewise; see below
//	type fetchFrame struct { … }                                        what it keeps
//	func (f *fetchFrame) MoveNext(r *statemachine.Run) bool            the instructions
//	func (f *fetchFrame) Results(r *statemachine.Run) int              for its caller
//	type fetchMachine struct { … }                                      the root of a chain
//
// fetchNested is for callers whose frames may be on the stack while an awaited job is run; only
// functions that may await jobs have it. A function literal that is a machine has some of
// these declarations; a stream has others.
//
//	function.go      the input and the output
//	declarations.go  what surrounds the machine: entries, results, the root of a chain
//	signature.go     the signature of the function, repeated
//	running.go       the frame, and how it is started and resumed
//	movenext.go      the method that runs the machine
//	instructions.go  one instruction
//	suspend.go       suspensions and deferred calls
//	text.go          text with unresolved mentions of variables
//	witnesses.go     variables whose types cannot be named
//	spelling.go      the types of variables, also used by placing
//	lines.go         the lines of the source, and the comments behind its statements
//	tail.go          a function that needs no frame
//	plain.go         the plain form, which has no machine
//
// There are three forms with machines. The release form is committed. The debug form keeps all
// variables in the frame, and each of its lines belongs to a line of the source. The recorded
// form is a debug form that reports each step to package statemachine/record.
//
// Nothing here is for concurrent use: a function is printed by one goroutine.
package emit
