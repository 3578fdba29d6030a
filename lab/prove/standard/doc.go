// Package standard annotates the standard library. It copies packages, annotates every function
// that they declare, so that almost every call within a package suspends, and lowers them. The
// output is type-checked together with its package; refusals are counted by reason.
//
// A copy is a package of another module. It imports the public packages of the library directly,
// so that types agree, and copies of the internal ones, which other modules may not import.
// Features reserved for the library's own packages are removed: functions without a body get one
// that panics, and directives for linking lose their meaning. The copies are never run.
package standard
