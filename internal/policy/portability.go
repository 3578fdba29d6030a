package policy

import (
	"fmt"
	"path"
	"regexp"
)

// unportable are the packages that depend on the implementation of the language.
var unportable = map[string]string{
	"C":      "cgo ends cross-compiling without a C toolchain for every system; use package syscall",
	"unsafe": "it ties the code to one layout of memory; use sync/atomic's types, and reflect's Type.Size where a test measures",
}

var linkname = regexp.MustCompile(`(?m)^//go:linkname `)

// assembly are the extensions that the go command treats as sources of other languages,
// or as objects.
var assembly = map[string]bool{".s": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".syso": true}

// portability checks that the main module uses only Go as the specification describes
// it. Similar libraries that used the internals of Go's runtime stopped building with a
// newer release.
func portability(t *Tree) []Finding {
	var found []Finding
	g := importsOf(t)
	for _, from := range g.packages {
		for _, s := range g.edges[from] {
			if mend, bad := unportable[s.imported]; bad && !s.file.Test {
				found = append(found, Finding{s.file.Path, s.line(), s.imported, fmt.Sprintf("imports %q", s.imported), mend})
			}
		}
	}
	for _, f := range t.Main() {
		for _, group := range f.Syntax.Comments {
			for _, c := range group.List {
				if linkname.MatchString(c.Text) {
					found = append(found, Finding{f.Path, f.Line(c.Pos()), "linkname", "links to a name that another package hides", "use what the package exports: a hidden name may be gone in the next release"})
				}
			}
		}
	}
	for _, f := range t.Files {
		if assembly[path.Ext(f.Path)] && !outsideBuild(f.Path) && t.mainFolder(path.Dir(f.Path)) {
			found = append(found, Finding{f.Path, 0, "", "is a source that is not Go", "write it in Go: other sources have to be written once for every architecture"})
		}
	}
	return found
}

// mainFolder reports whether the main module has Go files in the folder. The go command
// builds other sources only next to them.
func (t *Tree) mainFolder(dir string) bool {
	_, byFolder := folders(t.Main())
	return byFolder[dir] != nil
}
