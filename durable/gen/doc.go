// Package gen is what the generated code of durable functions consists of and calls. It has a
// [Frame] for each, the [Turn] in which an engine runs it, and the results of its points. Programs
// do not call it, unless they write a frame by hand, as the example of package durable does.
//
// A function of this package belongs to the code of frames. It is called in MoveNext, with the
// Turn of that call, and blocks nowhere.
//
// The plain form of a durable function is an ordinary function, which waits for what a [Plain]
// supplies.
package gen
