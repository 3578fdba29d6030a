package policy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// namedTest matches the name of a test in a page. A page that merely explains how tests
// are named has no names of this length.
var namedTest = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]{7,}\b`)

// namedTests checks that the tests that pages refer to exist. A page that names the test
// of a promise is worthless if that name is wrong, and tests are renamed.
//
// To this module, packages in testdata folders are text, so their tests are not known.
func namedTests(t *Tree) []Finding {
	known := map[string]bool{}
	for _, f := range t.Go {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.Test && fn.Recv == nil {
				known[fn.Name.Name] = true
			}
		}
	}
	var found []Finding
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".md" {
			continue
		}
		n := 0
		for line := range strings.Lines(string(f.Text)) {
			n++
			for _, name := range namedTest.FindAllString(line, -1) {
				if !known[name] {
					found = append(found, Finding{
						Path: f.Path, Line: n, Name: name,
						What: fmt.Sprintf("the test %s does not exist", name),
						Mend: "name the test that takes its place, or drop the claim",
					})
				}
			}
		}
	}
	return found
}
