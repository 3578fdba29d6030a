//go:build (darwin || dragonfly || freebsd || openbsd || (linux && netio_kqueue)) && !netio_portable

package netio

// marks are names of generations, and nothing else: the bytes are not read or written.
// The data of an event is a pointer here, and what looks like a pointer must be one,
// or the garbage collector ends the program when it meets it. A pointer to an object
// of the heap would do as little: while only the system has it, the object is garbage.
// The bytes of a variable are never collected. There are so many that none comes a
// second time while a batch is handled: the descriptor would have to be closed and
// used again 65536 times meanwhile.
var marks [1 << 16]byte

func mark(ev *event, generation uint32) { ev.Udata = &marks[generation%uint32(len(marks))] }

// isOf reports whether an event is one of the generation.
func isOf(ev *event, generation uint32) bool {
	return ev.Udata == &marks[generation%uint32(len(marks))]
}
