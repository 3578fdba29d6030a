package codegen

import (
	"strconv"
	"strings"
)

// location prints the method by which an asynchronous stack learns where the function
// is suspended. It is called when a report is made and costs nothing before: the lines
// are constants of its code, not fields or tables.
func (e *emitter) location() {
	u := e.u
	args := []string{strconv.Quote(u.fn.RuntimeName()), strconv.Quote(u.fn.RuntimeFile())}
	for _, p := range u.parks() {
		args = append(args, strconv.Itoa(u.fn.Package.Position(p.call).Line))
	}
	e.line("\n// Location returns where %s is suspended.", u.title())
	e.line("func (%s *%s) Location() %s {", u.names.recv, e.keptType(), e.runtime("Location"))
	e.line("return %s.Frame.At(%s)\n}", u.names.recv, strings.Join(args, ", "))
}
