package library

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// linkname matches a directive.
var linkname = regexp.MustCompile(`(?m)^//go:linkname (\S+)( \S+)?.*$`)

// read reads a file of the original.
func (c *clone) read(name string) (string, *token.FileSet, *ast.File, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		return "", nil, nil, err
	}
	text := string(data)
	if c.moved {
		if text, err = c.links(name, text); err != nil {
			return "", nil, nil, err
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return text, fset, file, err
}

// links removes directives that export this package's declarations to other packages, which get
// them from the original. It keeps directives that import something, or that get it from the
// runtime under its own name.
func (c *clone) links(name, text string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	bodiless, variables := linkedNames(file)
	return linkname.ReplaceAllStringFunc(text, func(line string) string {
		m := linkname.FindStringSubmatch(line)
		switch {
		case c.inAssembly(m[1]):
		case bodiless[m[1]] && m[2] == "":
			return "//go:linkname " + m[1] + " " + c.ImportPath + "." + m[1]
		case bodiless[m[1]], variables[m[1]] && m[2] != "":
			return "//go:linkname " + m[1] + c.copiedSymbol(m[2])
		}
		return "// linked: " + m[1]
	}), nil
}

// copiedSymbol returns the symbol of the copy for that of an original, if there is a copy.
func (c *clone) copiedSymbol(symbol string) string {
	symbol = strings.TrimSpace(symbol)
	if i := strings.LastIndexByte(symbol, '.'); i >= 0 && c.instead[symbol[:i]] != "" {
		symbol = c.instead[symbol[:i]] + symbol[i:]
	}
	return " " + symbol
}

// linkedNames returns the functions without a body, and the variables without a value.
func linkedNames(file *ast.File) (bodiless, variables map[string]bool) {
	bodiless, variables = map[string]bool{}, map[string]bool{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			bodiless[decl.Name.Name] = decl.Body == nil
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 0 {
					variables[v.Names[0].Name] = true
				}
			}
		}
	}
	return bodiless, variables
}

func (c *clone) inAssembly(name string) bool { return strings.Contains(c.assembly, "·"+name+"(") }
