package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// mutate returns the text of m's file with the mutation, for the module in the folder root. It
// fails unless the old text occurs exactly once.
func (m *mutation) mutate(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		return "", fmt.Errorf("mutate: %s is stale: %w", m.name, err)
	}
	changed, err := m.apply(string(text))
	if err != nil {
		return "", fmt.Errorf("mutate: %s is stale: %s: %w", m.name, m.file, err)
	}
	return changed, nil
}

// apply returns text with the mutation.
func (m *mutation) apply(text string) (string, error) {
	begin, end, err := m.extent(text)
	if err != nil {
		return "", err
	}
	part := text[begin:end]
	if n := strings.Count(part, m.old); n != 1 {
		return "", fmt.Errorf("%q is there %d times", m.old, n)
	}
	return text[:begin] + strings.Replace(part, m.old, m.new, 1) + text[end:], nil
}

// extent returns the part of text in which the old text must occur.
func (m *mutation) extent(text string) (begin, end int, err error) {
	if m.function == "" {
		return 0, len(text), nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, m.file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && funcName(fn) == m.function {
			return files.Position(fn.Pos()).Offset, files.Position(fn.End()).Offset, nil
		}
	}
	return 0, 0, fmt.Errorf("there is no function %s", m.function)
}

// funcName returns "F" or, for a method, "T.F".
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}
