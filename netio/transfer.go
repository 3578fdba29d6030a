package netio

// kind is what an operation does when it has its turn.
type kind uint8

const (
	reading   kind = iota // what there is, at least a byte
	filling               // all of the buffer
	looking               // nothing: it waits until reading would make progress
	accepting             // a connection
	writing               // all of the buffer
	shutting              // nothing: the direction is shut after what was written before
)

// outward reports whether the operation waits for room to write.
func (k kind) outward() bool { return k >= writing }

// transfer is the part of an operation that makes system calls. One goroutine at
// a time uses it.
type transfer struct {
	kind kind
	buf  []byte
	n    int // how much of buf is done
	err  error
	sys  systemPart // what else the system needs
}

// Reason implements probe.Reasoner, for a report of what machines wait for.
func (t *transfer) Reason() (what, holder string) { return "netio " + t.kind.name(), "" }

// name returns the name of the operation in the errors of package net.
func (k kind) name() string {
	switch k {
	case accepting:
		return "accept"
	case shutting:
		return "close"
	case writing:
		return "write"
	default:
		return "read"
	}
}
