//go:build race

package main

// cycles is how often each scheduler is started and shut down: fewer, since the race
// detector slows each down about ten times.
const cycles = 500
