//go:build !race

package main

// cycles is how often each scheduler is started and shut down.
const cycles = 10_000
