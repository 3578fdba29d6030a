package load

import (
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/source"
)

// mentions are the names that the files of a folder mention, in every build configuration, tests
// included: the code generated for a function must not depend on which of them are loaded.
type mentions struct {
	byMachines map[string]bool // in annotated functions
	anywhere   map[string]bool
}

// add notes the names of a file.
func (m mentions) add(file *ast.File) {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		annotated := ok && source.IsAnnotated(fn)
		ast.Inspect(decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && (fn == nil || id != fn.Name) {
				m.anywhere[id.Name] = true
				m.byMachines[id.Name] = m.byMachines[id.Name] || annotated
			}
			return true
		})
	}
}

// rootOnly reports whether no machine enters a function, so that it needs no entry: no other
// package can name it, no annotated function does, and no handwritten code names the entry or
// the frame. Methods are excluded, since a method may implement an interface that requires its
// entry.
func (m mentions) rootOnly(fn *annotated) bool {
	name := fn.decl.Name
	return fn.decl.Recv == nil && !name.IsExported() && !m.byMachines[name.Name] && !m.anywhere[fn.names.Enter] && !m.anywhere[fn.names.Frame]
}
