package policy

// exceptions may break a rule. A line needs a reason that convinces readers other
// than its author.
var exceptions = []Exception{
	{"portability", "netio/nonblocking_linux.go:unsafe", "a system call needs the address of its buffer; no layout of memory is assumed, and other systems have plain calls: decision 0044"},
	{"width", "codegen/doc.go", "the essay shows generated code as it is, and a test compares the two"},
}
