package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The annotation is a directive in the sense of the go command: a line comment without a space
// after the slashes. It may end with frame=BYTES, the budget for the function's frame. Any other
// comment that begins like it is an error, not prose: an annotation without effect would silently
// leave a function blocking.
const (
	DirectivePrefix = "//movenext:"
	DirectiveAsync  = DirectivePrefix + "async" // perhaps frame=BYTES

	DirectiveDurable = DirectivePrefix + "durable" // name=NAME
	DirectiveStep    = DirectivePrefix + "step"
	DirectivePoint   = DirectivePrefix + "point"   // NAME, above a statement
	DirectiveMigrate = DirectivePrefix + "migrate" // name=NAME from=LAYOUT

	directiveAllow = DirectivePrefix + "allow" // CHECK REASON
)

// IsExcuse reports whether a comment excuses a line from a check of package vet. It says nothing
// to the generator.
func IsExcuse(text string) bool { return strings.Fields(text)[0] == directiveAllow }

// Directive is a comment line that begins with the prefix.
type Directive struct {
	Comment *ast.Comment
	Text    string // without trailing space
}

// Directives lists the directives of a file in order, including misspelt ones.
func Directives(file *ast.File) []Directive {
	var list []Directive
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := strings.TrimRight(c.Text, " \t\r")
			if strings.HasPrefix(text, DirectivePrefix) || IsMisspelt(text) {
				list = append(list, Directive{c, text})
			}
		}
	}
	return list
}

// IsMisspelt reports whether a comment says "movenext async" and nothing else, in a form other
// than the annotation: with spaces, capital letters, hyphens, a "go:" in front, in a block
// comment, or with one or two letters wrong. A budget may follow.
func IsMisspelt(text string) bool {
	text, _, _ = strings.Cut(text, " frame=")
	if text == DirectiveAsync {
		return false
	}
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	name, ok := strings.CutSuffix(strings.TrimPrefix(letters, "go"), "async")
	if !ok {
		return false
	}
	// A word that only resembles the name may belong to another tool, or be prose, unless the
	// form is ours.
	return name == "movenext" || strings.HasSuffix(text, ":async") && !strings.Contains(text, " ") && isClose(name, "movenext")
}

// HasSpace reports whether a comment begins like prose.
func HasSpace(text string) bool {
	return strings.HasPrefix(text, "// ") || strings.HasPrefix(text, "//\t")
}

// isClose reports whether two words differ by at most two letters added, left out or replaced.
func isClose(a, b string) bool { return distance(a, b, 2) <= 2 }

// distance returns the Levenshtein distance, or a number greater than limit.
func distance(a, b string, limit int) int {
	switch {
	case a == "" || b == "":
		return max(len(a), len(b))
	case a[0] == b[0]:
		return distance(a[1:], b[1:], limit)
	case limit == 0:
		return 1
	}
	return 1 + min(distance(a[1:], b, limit-1), distance(a, b[1:], limit-1), distance(a[1:], b[1:], limit-1))
}

// Whereabouts describes what a misplaced directive is attached to, for the message.
func Whereabouts(file *ast.File, pos token.Pos) string {
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

// insideGenDecl distinguishes methods of interfaces from the rest of a declaration.
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
func IsAnnotated(decl *ast.FuncDecl) bool { return annotation(decl) != nil }

// IsAsync reports whether a comment is the annotation, with a budget or without.
func IsAsync(text string) bool {
	_, ok := readAsync(text)
	return ok
}

// Budget returns how many bytes the annotation of decl allows for its frame, and the comment that
// says so; nil: any number.
func Budget(decl *ast.FuncDecl) (bytes int64, at *ast.Comment) {
	if at = annotation(decl); at != nil {
		bytes, _ = readAsync(at.Text)
	}
	if bytes == 0 {
		return 0, nil
	}
	return bytes, at
}

// annotation returns the comment that annotates decl, or nil.
func annotation(decl *ast.FuncDecl) *ast.Comment { return AnnotationIn(decl.Doc) }

// AnnotationIn returns the annotation in a doc comment, which may be nil, or nil.
func AnnotationIn(doc *ast.CommentGroup) *ast.Comment {
	if doc == nil {
		return nil
	}
	i := slices.IndexFunc(doc.List, func(c *ast.Comment) bool { return IsAsync(c.Text) })
	if i < 0 {
		return nil
	}
	return doc.List[i]
}

// readAsync returns the budget of an annotation, which is 0 if it has none.
func readAsync(text string) (budget int64, ok bool) {
	text = strings.TrimRight(text, " \t\r")
	if text == DirectiveAsync {
		return 0, true
	}
	bytes, ok := strings.CutPrefix(text, DirectiveAsync+" frame=")
	if !ok {
		return 0, false
	}
	budget, err := strconv.ParseInt(bytes, 10, 64)
	return budget, err == nil && budget > 0
}
