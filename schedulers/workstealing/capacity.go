//go:build !interleave

package workstealing

// capacity is the number of work items in a processor's queue. Go's has the same size.
const capacity = 256
