//go:build (darwin || dragonfly || freebsd || openbsd || (linux && netio_kqueue)) && !netio_portable

package netio

// marks are names of generations, and nothing else: the bytes are neither read nor written. Here
// the data of an event is a pointer, and anything that looks like a pointer must be one, or the
// garbage collector ends the program when it finds it. A pointer to a heap object would not help:
// while only the system holds it, the object is garbage. The bytes of a variable are never
// collected. There are so many that none is reused while a batch is handled: the descriptor would
// have to be closed and used again 65536 times in that time.
var marks [1 << 16]byte

func mark(ev *event, generation uint32) { ev.Udata = &marks[generation%uint32(len(marks))] }

// hasGeneration reports whether an event belongs to the generation.
func hasGeneration(ev *event, generation uint32) bool {
	return ev.Udata == &marks[generation%uint32(len(marks))]
}
