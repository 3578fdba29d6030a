//go:build !netio_portable

package netio

// The data of an event is a number here, of 32 or 64 bits.

func mark(ev *event, generation uint32) { set(&ev.Udata, generation) }

func set[T int32 | int64](data *T, generation uint32) { *data = T(int32(generation)) }

// hasGeneration reports whether an event belongs to the generation.
func hasGeneration(ev *event, generation uint32) bool { return int32(ev.Udata) == int32(generation) }
