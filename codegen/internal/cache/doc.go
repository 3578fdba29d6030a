// Package cache keeps the results of runs of the generator, so that the next run
// repeats only what its inputs make necessary.
//
//	runs.go      whole runs: most find nothing to do, and end before any package is loaded
//	packages.go  packages: after a change, those that depend on it are generated again
//	inputs.go    the files that a run depends on, and their state at one time
//
// A result is kept under a hash of everything that it depends on, in the folder
// that the user names (package filecache). The package does not know how results
// are made. Cached data is checked before it is used, since anything may have
// written to the folder.
package cache
