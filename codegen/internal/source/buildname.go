package source

import (
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Only go/build knows which file names imply a system or an architecture. Its list is not
// exported and grows with Go, so this code asks go/build.

//
// Its rule has two halves. x_OS, x_ARCH and x_OS_ARCH are built for that system. But before an
// ARCH only the name of an OS counts, and after an OS only the name of an ARCH. So each kind of
// name is recognised by whether the other one, which is certain, still determines the result.

// isSystem reports whether x_name.go is built for one GOOS only.
func isSystem(name string) bool {
	return !built("x_"+name+"_amd64.go", build.Context{GOOS: "none", GOARCH: "amd64"}, "")
}

// isArchitecture reports whether x_name.go is built for one GOARCH only.
func isArchitecture(name string) bool {
	return !built("x_linux_"+name+".go", build.Context{GOOS: "none", GOARCH: name}, "")
}

// built reports whether go/build would build a file called name that has only a header.
func built(name string, context build.Context, header string) bool {
	context.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(header + "package p\n")), nil
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

// maxTags bounds the search of CanBeBuilt; real conditions have fewer tags.
const maxTags = 6

// CanBeBuilt reports whether some build fulfils all conditions. The tag ignore is never set, and a
// condition with too many tags is taken for one that no build fulfils.
func CanBeBuilt(conditions ...constraint.Expr) bool {
	var all constraint.Expr
	for _, c := range conditions {
		if c != nil {
			all = and(all, c)
		}
	}
	if all == nil {
		return true
	}
	systems, architectures := []string{"linux", "freebsd", "windows"}, []string{"amd64", "arm64"}
	var others []string
	for _, tag := range Tags(all) {
		switch {
		case isSystem(tag):
			systems = append(systems, tag)
		case isArchitecture(tag):
			architectures = append(architectures, tag)
		case tag != "unix" && tag != "ignore" && !slices.Contains(others, tag):
			others = append(others, tag)
		}
	}
	if len(others) > maxTags {
		return false
	}
	header := "//go:build " + all.String() + "\n\n"
	for choice := range 1 << len(others) {
		var set []string
		for i, tag := range others {
			if choice>>i&1 == 1 {
				set = append(set, tag)
			}
		}
		for _, system := range systems {
			for _, architecture := range architectures {
				if built("x.go", build.Context{GOOS: system, GOARCH: architecture, BuildTags: set}, header) {
					return true
				}
			}
		}
	}
	return false
}

// Tags returns the tags of a condition, some of them more than once.
func Tags(condition constraint.Expr) []string {
	switch e := condition.(type) {
	case *constraint.TagExpr:
		return []string{e.Tag}
	case *constraint.NotExpr:
		return Tags(e.X)
	case *constraint.AndExpr:
		return append(Tags(e.X), Tags(e.Y)...)
	case *constraint.OrExpr:
		return append(Tags(e.X), Tags(e.Y)...)
	}
	return nil
}
