package source

import (
	"bytes"
	"crypto/sha256"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Which parts of a file matter to which readers.
//
// A prose comment changes neither a file's output nor its findings, unless it moves
// code to another line: the output contains line numbers. And to the packages that
// import a file's package, only declarations matter: they see neither function bodies
// nor positions. So the caches compare
//
//	code(file)   its text without ordinary comments: for its own package, and for whole runs
//	face(file)   of that without function bodies and empty lines: for the packages that import it
//
// A comment is ordinary if it begins with "// " and no tool reads it. One that follows
// a directive in its group counts, though not its words: a directive belongs to the
// declaration that its group touches. In a file that imports "C" all of them count.
//
// It is tempting to hash the tokens instead; but findings contain columns, and only the
// text has those.

// Checksum is the hash of a file, or of a part of it.
type Checksum = [sha256.Size]byte

// CodeSums are the hashes of a Go file and of its code.
type CodeSums struct{ Whole, Code Checksum }

// cut is a piece of a file that is left out.
type cut struct{ from, to int }

// CodeOf is code(file) of a file that holds data; a file that does not parse counts as
// it is.
func CodeOf(data []byte) []byte {
	if IsGenerated(data) {
		return data
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return data
	}
	return Code(data, fset, syntax)
}

// Code is code(file) of a file that holds data and has been parsed.
func Code(data []byte, fset *token.FileSet, syntax *ast.File) []byte {
	return without(data, ordinaryComments(fset.File(syntax.FileStart), syntax))
}

// Face is face(file). The body of a stream counts, since what its twin returns is read
// there.
func Face(data []byte, fset *token.FileSet, syntax *ast.File) []byte {
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
		if len(text) > 0 || afterComment { // a line that detaches a directive
			b = append(b, line...)
		}
		afterComment = bytes.HasPrefix(text, []byte("//"))
	}
	return b
}

// without is data without the cuts and the space before them, and without empty lines
// at its end.
func without(data []byte, cuts []cut) []byte {
	slices.SortFunc(cuts, func(a, b cut) int { return a.from - b.from })
	b := make([]byte, 0, len(data))
	at := 0
	for _, c := range cuts {
		if c.from >= at { // else it lies in the cut before
			b = append(b, bytes.TrimRight(data[at:c.from], " \t")...)
			at = c.to
		}
	}
	return append(bytes.TrimRight(append(b, data[at:]...), " \t\r\n"), '\n')
}

// ordinaryComments returns the cuts that leave out comments for readers only.
func ordinaryComments(file *token.File, syntax *ast.File) []cut {
	if ImportsC(syntax) {
		return nil
	}
	var cuts []cut
	for _, group := range syntax.Comments {
		kept := 0 // bytes of what is cut
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

// isOrdinary reports whether a comment is prose. Old build constraints have a space,
// and so have annotations that are misspelt.
func isOrdinary(text string) bool {
	rest, isLine := strings.CutPrefix(text, "//")
	if !isLine || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return false
	}
	lower := strings.ToLower(rest)
	return !strings.Contains(lower, "movenext") && !strings.Contains(rest, "+build")
}

// ImportsC reports whether a file imports "C": then its comments may be C.
func ImportsC(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}
