package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// unlisted are the packages that other modules cannot use: they need only a package comment.
var unlisted = []string{"internal/...", "examples/...", "docs/...", "tools/..."}

// comments checks that each package has a package comment, that each name that users of the
// library can reach has a doc comment, and that the comments of types and functions, private
// ones too, and of exported constants and variables begin with the name.
func comments(t *Tree) []Finding {
	var found []Finding
	order, byFolder := folders(t.Go)
	for _, dir := range order {
		files := slices.DeleteFunc(byFolder[dir], func(f *GoFile) bool { return f.Generated })
		if len(files) == 0 {
			continue
		}
		if f := speechless(files); f != nil {
			found = append(found, Finding{
				Path: dir,
				What: fmt.Sprintf("package %s has no package comment", f.Syntax.Name.Name),
				Mend: "say what it holds and for whom above the package clause, in doc.go if it is long",
			})
		}
		for _, f := range files {
			if !f.Test && f.ModuleDir == "." && f.Syntax.Name.Name != "main" && !matches(unlisted, dir) {
				found = append(found, f.findUndocumented()...)
			}
			found = append(found, f.findMisnamed()...)
		}
	}
	return found
}

// speechless returns nil if one of a package's files has a package comment, and
// otherwise one of the files. A comment in a test counts only if all files are tests,
// since documentation does not show it.
func speechless(files []*GoFile) *GoFile {
	if code := slices.DeleteFunc(slices.Clone(files), func(f *GoFile) bool { return f.Test }); len(code) > 0 {
		files = code
	}
	if slices.ContainsFunc(files, func(f *GoFile) bool { return says(f.Syntax.Doc) }) {
		return nil
	}
	return files[0]
}

// says reports whether a comment has words. Text omits directives.
func says(c *ast.CommentGroup) bool { return c.Text() != "" }

func (f *GoFile) findUndocumented() []Finding {
	var found []Finding
	missing := func(pos token.Pos, name string) {
		found = append(found, Finding{
			Path: f.Path,
			Line: f.Line(pos),
			Name: name,
			What: fmt.Sprintf("exported %s has no doc comment", name),
			Mend: "say what it returns, its errors and units, whether it blocks, whether it is safe for concurrent use",
		})
	}
	for _, decl := range f.Syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if exportedFunc(d) && !says(d.Doc) {
				missing(d.Name.Pos(), funcName(d))
			}
		case *ast.GenDecl:
			for _, name := range bareNames(d) {
				missing(name.Pos(), name.Name)
			}
		}
	}
	return found
}

// findMisnamed finds comments that begin with another word than the name: the name before a
// renaming, or a sentence about something else. An article may come first. In tests, the comment
// of a function may be a sentence about what it tests.
func (f *GoFile) findMisnamed() []Finding {
	var found []Finding
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		words := strings.Fields(doc.Text())
		if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && strings.TrimRight(words[0], ",:.;") != name.Name {
			found = append(found, Finding{
				Path: f.Path,
				Line: f.Line(name.Pos()),
				Name: name.Name,
				What: fmt.Sprintf("the comment of %s begins with %q", name.Name, words[0]),
				Mend: "begin with the name; put what is not about it elsewhere, with an empty line between",
			})
		}
	}
	for _, decl := range f.Syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if !f.Test {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				doc := d.Doc
				if d.Lparen.IsValid() {
					doc = docOf(spec)
				}
				switch s := spec.(type) {
				case *ast.TypeSpec:
					check(s.Name, doc)
				case *ast.ValueSpec:
					if len(s.Names) == 1 && s.Names[0].IsExported() && !f.Test {
						check(s.Names[0], doc)
					}
				}
			}
		}
	}
	return found
}

func docOf(spec ast.Spec) *ast.CommentGroup {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Doc
	case *ast.ValueSpec:
		return s.Doc
	}
	return nil
}

// exportedFunc reports whether users see fn: methods of unexported types are invisible
// to them.
func exportedFunc(fn *ast.FuncDecl) bool {
	if fn.Recv != nil && len(fn.Recv.List) > 0 && !ast.IsExported(receiver(fn.Recv.List[0].Type)) {
		return false
	}
	return fn.Name.IsExported()
}

// bareNames returns the exported names of a declaration that have no comment. The
// comment above a group of constants covers all of them, since they are values of
// one kind; the one above a group of types or variables does not.
func bareNames(d *ast.GenDecl) []*ast.Ident {
	group := says(d.Doc) && (d.Tok == token.CONST || !d.Lparen.IsValid())
	var bare []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && !group && !says(s.Doc) {
				bare = append(bare, s.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && !group && !says(s.Doc) && !says(s.Comment) {
					bare = append(bare, name)
				}
			}
		}
	}
	return bare
}
