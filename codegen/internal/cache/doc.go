// Package cache keeps the results of the generator's runs, so that the next run repeats only
// the work that changed inputs require.
//
//	runs.go      whole runs: most find nothing to do, and end before any package is loaded
//	packages.go  packages: after a change, those that depend on it are generated again
//	inputs.go    the files that a run depends on, and their state at one time
//
// A result is stored under a hash of everything that it depends on, in the folder that the user
// names (package filecache). The package does not know how results are computed. It checks
// cached data before using it, since any program may have written to the folder.
package cache
