package library

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// entered matches the comment of a machine's entry.
var entered = regexp.MustCompile(`^// (\w+) enters \[.*?(\w+)\] for another machine`)

// key identifies a function or a method.
type key struct{ receiver, name string }

func keyOf(fn *ast.FuncDecl, name string) key {
	k := key{name: name}
	if fn.Recv == nil {
		return k
	}
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && k.receiver == "" {
			k.receiver = id.Name
		}
		return k.receiver == ""
	})
	return k
}

func (k key) String() string { return strings.Trim(k.receiver+"."+k.name, ".") }

// entry is the entry of a machine.
type entry struct {
	name   string
	params int
}

// entries returns the entries of the machines in dir.
func entries(dir string) (map[key]entry, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*_async*.go"))
	if err != nil {
		return nil, err
	}
	all := map[key]entry{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			if m := entered.FindStringSubmatch(fn.Doc.List[0].Text); m != nil && m[1] == fn.Name.Name {
				all[keyOf(fn, m[2])] = entry{m[1], fn.Type.Params.NumFields()}
			}
		}
	}
	return all, nil
}
