package load

import (
	"go/ast"
	"maps"

	"github.com/movenext/movenext/codegen/internal/source"
)

// mentions are the names that the files of a folder mention, in every build configuration, tests
// included: the code generated for a function must not depend on which of them are loaded.
type mentions struct {
	byMachines map[string]bool // in annotated functions
	anywhere   map[string]bool

	// By name, for entries of callers whose frames may be on the stack; see nests.
	called map[string]map[string]bool // the functions that each annotated one calls itself
	hosted map[string]bool            // those that the functions of jobs call, directly or not
	awaits map[string]bool            // those that await jobs, or call such functions
}

func newMentions() mentions {
	return mentions{map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
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
		if annotated {
			m.addCalls(fn)
		}
	}
}

// addCalls notes the names of the functions that an annotated function calls. It notes those that
// its literals call if one of the literals may be that of a job.
func (m mentions) addCalls(fn *ast.FuncDecl) {
	own := m.called[fn.Name.Name]
	if own == nil {
		own = map[string]bool{}
		m.called[fn.Name.Name] = own
	}
	inLiterals, runs := map[string]bool{}, false
	var within map[string]bool
	visit := func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			within[calledName(call)] = true
			runs = runs || mayHost(call)
		}
		return true
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			within = inLiterals
			ast.Inspect(lit, visit)
			return false
		}
		within = own
		return visit(n)
	})
	if runs {
		maps.Copy(m.hosted, inLiterals)
	}
}

// calledName returns the name of the called function, without its package or receiver.
func calledName(call *ast.CallExpr) string {
	switch f := source.StripInstantiation(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// findNested follows the calls, once all files have been added.
func (m mentions) findNested() {
	m.awaits[source.AwaitName] = true
	for found := true; found; {
		found = false
		for name, called := range m.called {
			for callee := range called {
				if m.awaits[callee] && !m.awaits[name] {
					m.awaits[name], found = true, true
				}
				if m.hosted[name] && !m.hosted[callee] {
					m.hosted[callee], found = true, true
				}
			}
		}
	}
}

// nests reports whether a function may await a job while its caller's frame is on the stack of
// another job's function, so that it has an entry for that. Judging by the names alone, it may
// find too many.
func (m mentions) nests(fn *ast.FuncDecl) bool {
	return m.hosted[fn.Name.Name] && m.awaits[fn.Name.Name]
}

// rootOnly reports whether no machine enters a function, so that it needs no entry: no other
// package can name it, no annotated function does, and no handwritten code names the entry or
// the frame. An interface that requires the entry of an unexported method is in this package, too.
func (m mentions) rootOnly(fn *annotated) bool {
	name := fn.decl.Name
	return !name.IsExported() && !m.byMachines[name.Name] && !m.anywhere[fn.names.Enter] && !m.anywhere[fn.names.Frame]
}

// mayHost reports whether a call may start a job for a literal, which it has after a context.
func mayHost(call *ast.CallExpr) bool {
	if len(call.Args) < 2 || calledName(call) == "append" {
		return false
	}
	_, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit)
	return ok
}
