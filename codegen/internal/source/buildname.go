package source

import (
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"strings"
)

// Only go/build knows which file names imply a system or an architecture. Its list is not
// exported and grows with Go, so this code asks go/build.

//
// Its rule has two halves. x_OS, x_ARCH and x_OS_ARCH are built for that system. But before an
// ARCH only the name of an OS counts, and after an OS only the name of an ARCH. So each kind of
// name is recognised by whether the other one, which is certain, still determines the result.

// isSystem reports whether x_name.go is built for one GOOS only.
func isSystem(name string) bool { return !built("x_"+name+"_amd64.go", "none", "amd64") }

// isArchitecture reports whether x_name.go is built for one GOARCH only.
func isArchitecture(name string) bool { return !built("x_linux_"+name+".go", "none", name) }

// built reports whether go/build would build an empty file called name.
func built(name, goos, goarch string) bool {
	context := build.Context{
		GOOS:   goos,
		GOARCH: goarch,
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		},
	}
	ok, err := context.MatchFile("", name)
	return ok && err == nil
}

// BuildConstraint returns the condition under which the source file is built: its //go:build line,
// the constraints in its name, which the name of the generated file lacks, and cgo if it imports
// "C".
func BuildConstraint(file *File) constraint.Expr {
	var expr constraint.Expr
	for _, group := range file.Syntax.Comments {
		if group.Pos() >= file.Syntax.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if parsed, err := constraint.Parse(c.Text); err == nil {
				expr = parsed
			}
		}
	}
	tags := NameConstraints(filepath.Base(file.Path))
	if ImportsC(file.Syntax) {
		tags = append(tags, "cgo")
	}
	for _, tag := range tags {
		expr = and(expr, &constraint.TagExpr{Tag: tag})
	}
	return expr
}

func and(a, b constraint.Expr) constraint.Expr {
	if a == nil {
		return b
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// NameConstraints lists the tags that the name of a file implies: linux and amd64 for
// x_linux_amd64.go. The name of the generated file, x_linux_amd64_async.go, implies none.
func NameConstraints(base string) []string {
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	parts := strings.Split(base, "_")
	if len(parts) < 2 {
		return nil
	}
	last := parts[len(parts)-1]
	switch {
	case isSystem(last):
		return []string{last}
	case !isArchitecture(last):
		return nil
	}
	if len(parts) > 2 && isSystem(parts[len(parts)-2]) {
		return []string{parts[len(parts)-2], last}
	}
	return []string{last}
}
