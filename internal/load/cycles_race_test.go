//go:build race

package main

// cycles is how often each scheduler is started and shut down: fewer, since the race detector makes each some ten times slower.
const cycles = 500
