package codegen

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The annotation is a directive in the sense of the go command: a line comment
// without a space behind the slashes. It has no options. Whatever else begins
// like it is an error and not a comment: an annotation that does nothing would
// leave a function blocking with nobody the wiser.
const (
	directivePrefix = "//movenext:"
	directiveAsync  = directivePrefix + "async"
)

// directive is one comment line that begins with the prefix.
type directive struct {
	comment *ast.Comment
	text    string // without trailing space
}

// directives lists those of a file in order.
func directives(file *ast.File) []directive {
	var list []directive
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := strings.TrimRight(c.Text, " \t\r")
			if strings.HasPrefix(text, directivePrefix) || text == "// movenext:async" {
				list = append(list, directive{c, text})
			}
		}
	}
	return list
}

// whereabouts says what a misplaced directive stands at, for the message.
func whereabouts(file *ast.File, pos token.Pos) string {
	for _, decl := range file.Decls {
		doc, what := docOf(decl)
		if doc != nil && doc.Pos() <= pos && pos < doc.End() {
			return what
		}
		if pos < decl.Pos() || pos >= decl.End() {
			continue
		}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			return "inside function " + decl.Name.Name
		case *ast.GenDecl:
			return insideGenDecl(decl, pos)
		}
	}
	return "at no declaration"
}

func docOf(decl ast.Decl) (*ast.CommentGroup, string) {
	switch decl := decl.(type) {
	case *ast.GenDecl:
		return decl.Doc, "at " + article(decl.Tok.String()) + " declaration"
	case *ast.FuncDecl:
		return decl.Doc, "at function " + decl.Name.Name
	}
	return nil, ""
}

// insideGenDecl tells methods of interfaces from the rest of a declaration.
func insideGenDecl(decl *ast.GenDecl, pos token.Pos) string {
	found := "inside " + article(decl.Tok.String()) + " declaration"
	ast.Inspect(decl, func(n ast.Node) bool {
		iface, ok := n.(*ast.InterfaceType)
		if ok && iface.Methods.Pos() <= pos && pos < iface.Methods.End() {
			found = "at an interface method"
		}
		return true
	})
	return found
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// IsAnnotated reports whether the doc comment of decl holds the annotation.
func IsAnnotated(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.TrimRight(c.Text, " \t\r") == directiveAsync
	})
}

// StreamLiteral returns the function literal that is the body of a stream, if decl has the form
// of one: a function that does nothing but return a literal with a yield. Else it is nil.
func StreamLiteral(decl *ast.FuncDecl) *ast.FuncLit { return streamLiteral(decl) }
