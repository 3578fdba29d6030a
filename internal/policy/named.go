package policy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// namedTest is the name of a test in a page. Between code marks or after -run it is meant;
// a page that explains how tests are named has none of this length.
var namedTest = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]{7,}\b`)

// namedTests checks that the tests that pages refer to exist. A page that says how a
// promise is tested is worth no more than the name of the test in it, and tests are
// renamed.
//
// Packages of testdata folders are text to this module, so a test in one is not known.
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
