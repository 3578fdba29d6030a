package library

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
)

// shim inserts code that enters the machine before the body of each function that has one.
func (c *clone) shim() error {
	all, err := entries(c.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range c.GoFiles {
		src := c.files[filepath.Join(c.dir, name)]
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, src.Path, src.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := &shims{annotated.Edits{Fset: fset}}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			k := keyOf(fn, fn.Name.Name)
			if enter, ok := all[k]; ok && s.shim(fn, enter, len(c.names)) {
				c.names = append(c.names, fmt.Sprintln(len(c.names), strings.Trim(c.relative()+" "+k.String(), " ")))
			}
		}
		if len(s.List) == 0 {
			continue
		}
		s.Insert(file.Name.End(), "; import movenextmachine \"github.com/movenext/movenext/statemachine\"")
		f := annotated.New(src.Path, src.Text, fset, file, s.List, func(*ast.FuncDecl) bool { return false })
		errs = append(errs, f.Write())
	}
	return errors.Join(errs...)
}

// writeNames writes the file functions.txt: the numbers and names of the functions that can enter
// their machine.
func (h *home) writeNames(dir string) error {
	return os.WriteFile(filepath.Join(dir, "functions.txt"), []byte(strings.Join(h.names, "")), 0o600)
}

// shims are the insertions in one file. Names that they need begin with movenext, a prefix used
// nowhere else.
type shims struct{ annotated.Edits }

// shim reports whether it has inserted the code that enters fn's machine. It cannot if fn has a
// blank type parameter.
func (s *shims) shim(fn *ast.FuncDecl, enter entry, id int) bool {
	types, ok := typeArguments(fn.Type.TypeParams)
	if !ok {
		return false
	}
	called := enter.name + types
	if fn.Recv != nil {
		called = s.nameParameters(fn.Recv, "movenextR")[0] + "." + called
	}
	args := []string{"&movenextT"}
	for range enter.params - len(args) - fn.Type.Params.NumFields() {
		args = append(args, "nil") // the companion of a parameter that holds a plain function
	}
	args = append(args, s.nameParameters(fn.Type.Params, "movenextP")...)
	var results []string
	for i := range fn.Type.Results.NumFields() {
		results = append(results, fmt.Sprint("movenextV", i))
	}
	values, assign := strings.Join(results, ", "), ""
	if len(results) > 0 {
		assign = values + " = "
	}
	s.Insert(fn.Body.Lbrace+1, fmt.Sprintf(" if %s.On(%d) { var movenextT movenextmachine.Run; %s := %s(%s); if movenextM != nil { %s.Finish(&movenextT); %smovenextM.Results(&movenextmachine.Run{}) }; return %s };",
		pointName, id, strings.Join(append([]string{"movenextM"}, results...), ", "), called, strings.Join(args, ", "), pointName, assign, values))
	return true
}

// typeArguments returns the type parameters of a function as arguments.
func typeArguments(list *ast.FieldList) (text string, ok bool) {
	if list.NumFields() == 0 {
		return "", true
	}
	var names []string
	for _, f := range list.List {
		for _, id := range f.Names {
			if id.Name == "_" {
				return "", false
			}
			names = append(names, id.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]", true
}

// nameParameters gives names to parameters that have none, and returns the names of all
// parameters.
func (s *shims) nameParameters(list *ast.FieldList, prefix string) (args []string) {
	for _, f := range list.List {
		dots := ""
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			dots = "..."
		}
		if len(f.Names) == 0 {
			name := fmt.Sprint(prefix, len(args))
			s.Insert(f.Type.Pos(), name+" ")
			args = append(args, name+dots)
		}
		for _, id := range f.Names {
			name := id.Name
			if name == "_" {
				name = fmt.Sprint(prefix, len(args))
				s.Replace(id, name)
			}
			args = append(args, name+dots)
		}
	}
	return args
}
