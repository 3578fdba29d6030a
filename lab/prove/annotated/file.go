// Package annotated handles source files with an annotation on every function. It withdraws the
// annotations of functions that the generator refuses.
package annotated

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// mark is inserted before each function.
const mark = "//movenext:async\n"

// File is a file with annotations.
type File struct {
	Path      string
	Text      string
	Functions int // annotated
}

// New creates a file: text with edits applied, and with an annotation before each function of
// syntax that wanted accepts. The edits may touch but not overlap. New writes nothing to the disk.
func New(path, text string, fset *token.FileSet, syntax *ast.File, edits []Edit, wanted func(*ast.FuncDecl) bool) *File {
	f := &File{Path: path}
	for _, decl := range syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && wanted(fn) {
			at := fset.Position(fn.Pos()).Offset
			edits = append(edits, Edit{at, at, mark})
			f.Functions++
		}
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].From < edits[j].From })
	at := 0
	for _, e := range edits {
		f.Text += text[at:e.From] + e.With
		at = e.To
	}
	f.Text += text[at:]
	return f
}

// CanBe reports whether fn can be annotated, judging by its name.
func CanBe(fn *ast.FuncDecl) bool {
	return fn.Name.Name != "_" && (fn.Recv != nil || fn.Name.Name != "init")
}

// CanSuspend reports whether fn can be annotated and have suspension points: a function whose
// stack must not grow cannot suspend.
func CanSuspend(fn *ast.FuncDecl) bool {
	return CanBe(fn) && (fn.Doc == nil || !slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:nosplit") || strings.HasPrefix(c.Text, "//go:systemstack")
	}))
}

// Write writes the file.
func (f *File) Write() error { return os.WriteFile(f.Path, []byte(f.Text), 0o644) }

// Clear removes all annotations, and writes the file.
func (f *File) Clear() error {
	f.Text, f.Functions = strings.ReplaceAll(f.Text, mark, ""), 0
	return f.Write()
}

// Withdraw removes the annotations of the functions that have findings, writes the file, and
// returns one finding for each of these functions. It fails if a finding is about something else.
func (f *File) Withdraw(found []codegen.Diagnostic) ([]codegen.Diagnostic, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.Path, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var reasons []codegen.Diagnostic
	for _, decl := range slices.Backward(syntax.Decls) {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		// Positions are those in the file, regardless of line directives.
		from, to := fset.PositionFor(fn.Pos(), false), fset.PositionFor(fn.End(), false).Line
		why := slices.IndexFunc(found, func(d codegen.Diagnostic) bool { return from.Line-1 <= d.Pos.Line && d.Pos.Line <= to })
		at := from.Offset - len(mark)
		if why >= 0 && at >= 0 && f.Text[at:from.Offset] == mark {
			f.Text = f.Text[:at] + f.Text[from.Offset:]
			f.Functions--
			reasons = append(reasons, found[why])
		}
	}
	if len(reasons) == 0 {
		return nil, errors.New(fmt.Sprint("annotated: a finding about no annotated function: ", found[0]))
	}
	return reasons, f.Write()
}
