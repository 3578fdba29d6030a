// Package durabletest helps to test durable functions and stores.
//
//   - [Store] is the conformance suite of stores: every store must pass it.
//   - [Enlisted] is the suite of those whose instances can be started in a program's transaction.
//   - [CrashEverywhere] runs a durable function once for each of its writes, with a crash there,
//     and compares the outcome with that of its plain form.
//   - [Plain] returns a context under which the plain form runs.
//   - [Faulty] returns a store that fails now and then, in all ways in which stores may fail.
//
// The package imports package testing: import it in tests only.
package durabletest
