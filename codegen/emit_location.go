package codegen

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// location prints the method by which an asynchronous stack learns where the function
// is suspended. It is called when a report is made and costs nothing before: the lines
// are constants of its code, not fields or tables.
func (e *emitter) location() {
	u := e.u
	args := []string{strconv.Quote(u.fn.runtimeName()), strconv.Quote(u.fn.runtimeFile())}
	for _, p := range u.parks() {
		args = append(args, strconv.Itoa(u.fn.Package.Position(p.call).Line))
	}
	e.line("\n// Location returns where %s is suspended.", u.title())
	e.line("func (%s *%s) Location() %s {", u.names.recv, e.keptType(), e.runtime("Location"))
	e.line("return %s.Frame.At(%s)\n}", u.names.recv, strings.Join(args, ", "))
}

// runtimeName is the function's name as the Go runtime prints it in stacks.
func (f *Function) runtimeName() string {
	pkg := f.Package.Path
	if f.Package.Name == "main" {
		pkg = "main"
	}
	name := f.Object.Name()
	if named := receiverNamed(f.Object); named != nil {
		recv := named.Obj().Name()
		if isPointer(f.Signature().Recv()) {
			recv = "(*" + recv + ")"
		}
		name = recv + "." + name
	}
	return pkg + "." + name
}

// runtimeFile is the function's file as -trimpath leaves it in stacks: generated files
// must not depend on where the module lies.
func (f *Function) runtimeFile() string { return f.Package.inStacks(f.File.Path, Release) }

// inStacks is the name of a file of the package in stacks of machines of a form.
func (p *Package) inStacks(file string, mode Mode) string {
	if mode == Debug {
		return filepath.ToSlash(file)
	}
	return path.Join(strings.TrimSuffix(p.Path, "_test"), filepath.Base(file))
}
