// Package durabletest is for tests of durable functions and of stores.
//
//   - [Store] is the conformance suite of stores: yours has to pass it.
//   - [CrashEverywhere] runs a durable function once for each of its writes, crashed there,
//     and compares the outcome with that of its plain form.
//   - [Plain] is the context under which the plain form runs.
//   - [Faulty] is a store that fails now and then, in all ways that stores may fail.
//
// The package imports package testing: import it in tests only.
package durabletest
