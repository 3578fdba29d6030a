package durable

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// nameIn reports whether a comment is the annotation of a durable function, and returns the
// name in it, or "" if it has no name or something else.
func nameIn(text string) (name string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 || fields[0] != source.DirectiveDurable {
		return "", false
	}
	if len(fields) == 2 {
		name, _ = strings.CutPrefix(fields[1], "name=")
		if "name="+name != fields[1] {
			name = ""
		}
	}
	return name, true
}

// IsStep reports whether the doc comment of decl makes it a step of durable functions.
func IsStep(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.TrimRight(c.Text, " \t\r") == source.DirectiveStep
	})
}

// IsDurable reports whether the doc comment of decl makes it a durable function.
func IsDurable(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		_, ok := nameIn(c.Text)
		return ok
	})
}

// pointName reports whether a comment names the point below it, and returns the name.
func pointName(text string) (name string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 || fields[0] != source.DirectivePoint {
		return "", false
	}
	return fields[1], true
}

// migrationOf reports whether a comment is the annotation of a migration. It returns the name of
// the durable function and the layout, or "" if the annotation has another form.
func migrationOf(text string) (name, from string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 || fields[0] != source.DirectiveMigrate {
		return "", "", false
	}
	if len(fields) == 3 {
		first, hasName := strings.CutPrefix(fields[1], "name=")
		second, hasFrom := strings.CutPrefix(fields[2], "from=")
		if hasName && hasFrom {
			name, from = first, second
		}
	}
	return name, from, true
}

// IsAnnotation reports whether a comment is the annotation of a durable function.
func (k *Kind) IsAnnotation(text string) bool {
	_, ok := nameIn(text)
	return ok
}
