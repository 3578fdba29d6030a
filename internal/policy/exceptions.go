package policy

// exceptions may break a rule. A line needs a reason that convinces readers other
// than its author.
var exceptions = []Exception{
	{"width", "codegen/doc.go", "the essay shows generated code as it is, and a test compares the two"},
}
