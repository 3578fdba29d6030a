//go:build interleave

package workstealing

// capacity is small, so that few steps fill a queue.
const capacity = 2
