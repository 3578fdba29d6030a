package source

import (
	"bytes"
	"crypto/sha256"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The parts of a file that matter to each kind of reader.
//
// A prose comment changes neither a file's output nor its findings, unless it moves code to
// another line, since the output contains line numbers, or is in the body of an annotated
// function, since the output repeats it. For packages that import a file's package, only
// declarations matter: they see neither function bodies nor positions. So the cache compares
//
//	code(file)  the text without ordinary comments: for the file's package
//	api(file)   code(file) without function bodies and empty lines: for importing packages
//
// A comment is ordinary if it begins with "// " and no tool reads it. If an ordinary comment
// follows a directive in its group, its presence counts, but not its words: a directive belongs to
// the declaration that its group touches. In a file that imports "C", all comments count.
//
// It is tempting to hash the tokens instead; but findings contain columns, which only the text
// has.

// Checksum is the hash of a file, or of a part of it.
type Checksum = [sha256.Size]byte

// cut is a part of a file that is left out.
type cut struct{ from, to int }

// Code returns code(file) for a file that contains data and has been parsed.
func Code(data []byte, fset *token.FileSet, syntax *ast.File) []byte {
	return without(data, ordinaryComments(fset.File(syntax.FileStart), syntax))
}

// API returns api(file). It includes the body of a stream, since the result of the stream's twin
// is derived from it.
func API(data []byte, fset *token.FileSet, syntax *ast.File) []byte {
	file := fset.File(syntax.FileStart)
	cuts := ordinaryComments(file, syntax)
	for _, decl := range syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && StreamLiteral(fn) == nil {
			cuts = append(cuts, cut{file.Offset(fn.Body.Lbrace) + 1, file.Offset(fn.Body.Rbrace)})
		}
	}
	var b []byte
	afterComment := false
	for line := range bytes.Lines(without(data, cuts)) {
		text := bytes.TrimSpace(line)
		if len(text) > 0 || afterComment { // an empty line that detaches a directive
			b = append(b, line...)
		}
		afterComment = bytes.HasPrefix(text, []byte("//"))
	}
	return b
}

// without returns data without the cuts and the space before them, and without empty lines at its
// end.
func without(data []byte, cuts []cut) []byte {
	slices.SortFunc(cuts, func(a, b cut) int { return a.from - b.from })
	b := make([]byte, 0, len(data))
	end := 0 // of the previous cut
	for _, c := range cuts {
		if c.from >= end { // otherwise it is inside the previous cut
			b = append(b, bytes.TrimRight(data[end:c.from], " \t")...)
			end = c.to
		}
	}
	return append(bytes.TrimRight(append(b, data[end:]...), " \t\r\n"), '\n')
}

// ordinaryComments returns the cuts that remove comments meant only for readers.
func ordinaryComments(file *token.File, syntax *ast.File) []cut {
	if ImportsC(syntax) {
		return nil
	}
	var cuts []cut
	repeated := annotatedBodies(syntax)
	for _, group := range syntax.Comments {
		for len(repeated) > 0 && repeated[0].End() <= group.Pos() {
			repeated = repeated[1:] // both are in the order of the file
		}
		if len(repeated) > 0 && repeated[0].Pos() < group.Pos() {
			continue
		}
		kept := 0 // bytes of the comment that stay
		for _, c := range group.List {
			if isOrdinary(c.Text) {
				cuts = append(cuts, cut{file.Offset(c.Pos()) + kept, file.Offset(c.End())})
			} else {
				kept = len("//")
			}
		}
	}
	return cuts
}

// annotatedBodies returns the bodies of the annotated functions, in the order of the file.
func annotatedBodies(syntax *ast.File) []*ast.BlockStmt {
	var bodies []*ast.BlockStmt
	for _, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Body != nil && fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
			return strings.HasPrefix(c.Text, DirectivePrefix)
		}) {
			bodies = append(bodies, fn.Body)
		}
	}
	return bodies
}

// isOrdinary reports whether a comment is prose. Old build constraints have a space, and so do
// misspelt annotations.
func isOrdinary(text string) bool {
	rest, isLine := strings.CutPrefix(text, "//")
	if !isLine || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return false
	}
	lower := strings.ToLower(rest)
	return !strings.Contains(lower, "movenext") && !strings.Contains(rest, "+build")
}

// ImportsC reports whether a file imports "C", so that its comments may be C.
func ImportsC(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}
