package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Pointers of package unsafe that are needed after a suspension.
//
// To the garbage collector and to escape analysis, an unsafe.Pointer is a pointer like any
// other: a frame that holds one keeps its target alive, and a variable whose address reaches a
// frame is on the heap. The exception is an address that was converted to a number on the way,
// as in
//
//	func noescape(p unsafe.Pointer) unsafe.Pointer {
//		x := uintptr(p)
//		return unsafe.Pointer(x ^ 0)
//	}
//
// The compiler does not follow it, so the variable may be on the stack. That is safe for a call
// that ends before the variable does. But MoveNext returns when the machine suspends, and then
// its stack is gone. So a pointer is refused if it may have the address of one of the function's
// own variables and
//
//	is kept over a suspension   whichever way it got the address: its history is not
//	                            always visible in this function
//	is passed to a call that    and got the address from a call of another function, or from
//	suspends                    a number: the compiler itself follows a plain address
//
// A number that is such an address, as passed to wrappers of ioctl, is refused as an argument
// however it was computed. The compiler does not see that the address leaves the function. If
// the variable is not needed after the call, nothing else moves it off the stack of MoveNext,
// and the system call writes to a stack that is gone. A number that is only kept is accepted: a
// variable that is needed later has a cell, in which its address stays valid.
//
// All other pointers come from outside of the function: from parameters, from memory, or from
// calls that received no address of the function's variables. Their targets are not on the stack
// of a MoveNext, since a machine that would pass on such an address is itself refused. Code that
// keeps a pointer in memory, or inside another value (as reflect.Value does), is responsible for
// it.

// origin says where an unsafe.Pointer may come from. A higher value includes the lower ones.
type origin int

const (
	fromOutside origin = iota
	fromOwn            // the address of a variable of the function
	fromHidden         // the same, but the compiler may not know
)

// refusePassedUnsafe refuses arguments of a call that suspends.
func (fs *Facts) refusePassedUnsafe(call *ast.CallExpr) {
	for _, arg := range call.Args {
		switch {
		case typeset.IsBasic(fs.TypeOf(arg), types.UnsafePointer):
			if fs.origins().origin(arg) == fromHidden {
				fs.refuse(passedUnsafe(fs.Source.Extent(arg)))
			}
		case fs.origins().isAddress(arg):
			fs.refuse(passedAddress(fs.Source.Extent(arg)))
		}
	}
}

// MayBeOwn reports whether a variable may hold the address of a variable of the function.
func (fs *Facts) MayBeOwn(v *ir.Variable) bool {
	switch {
	case v.Obj != nil:
		own, _ := v.Obj.(*types.Var)
		return fs.origins().variable(own) != fromOutside
	case v.Of != nil:
		return fs.origins().origin(v.Of) != fromOutside
	}
	return true
}

// pointerSources are the possible origins of pointers in a function, including its literals: the
// values of its variables.
type pointerSources struct {
	info   *types.Info
	values map[*types.Var][]ast.Expr // the values assigned to the function's variables
}

func pointerSourcesOf(fs *Facts) *pointerSources {
	s := &pointerSources{fs.Info, map[*types.Var][]ast.Expr{}}
	ast.Inspect(fs.Source.Decl, s.note)
	return s
}

// origins is one query for the origin of a pointer.
type origins struct {
	*pointerSources
	facts  *Facts              // about the annotated function
	asking map[*types.Var]bool // variables whose origin is being determined
}

func (fs *Facts) origins() *origins {
	root := fs.annotatedFacts()
	return &origins{root.pointers, root, map[*types.Var]bool{}}
}

func (s *pointerSources) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Field:
		s.recordAssignment(n.Names, nil)
	case *ast.ValueSpec:
		s.recordAssignment(n.Names, n.Values)
	case *ast.AssignStmt:
		s.recordAssignment(identsOf(n.Lhs), n.Rhs)
	case *ast.RangeStmt:
		s.recordAssignment(identsOf([]ast.Expr{n.Key, n.Value}), []ast.Expr{n.X})
	}
	return true
}

// recordAssignment records values of variables: one value for each name, or one whose parts are
// assigned.
func (s *pointerSources) recordAssignment(names []*ast.Ident, values []ast.Expr) {
	for i, id := range names {
		v, ok := s.info.ObjectOf(id).(*types.Var)
		switch {
		case !ok:
		case len(values) == len(names):
			s.values[v] = append(s.values[v], values[i])
		default:
			s.values[v] = append(s.values[v], values...)
		}
	}
}

// identsOf returns the expressions as identifiers, with empty ones for those that are not.
func identsOf(list []ast.Expr) []*ast.Ident {
	var idents []*ast.Ident
	for _, e := range list {
		idents = append(idents, identOf(e))
	}
	return idents
}

// variable returns the origin of v's value.
func (s *origins) variable(v *types.Var) origin {
	values, known := s.values[v]
	switch {
	case v == nil || !Within(s.facts.Source.Decl, v.Pos()):
		return fromOutside
	case !known:
		return fromHidden
	case s.asking[v]:
		return fromOutside // the pending query covers it
	}
	s.asking[v] = true
	defer delete(s.asking, v)
	return s.most(values)
}

func (s *origins) most(list []ast.Expr) origin {
	from := fromOutside
	for _, e := range list {
		from = max(from, s.origin(e))
	}
	return from
}

// origin returns the origin of the pointers in e.
func (s *origins) origin(e ast.Expr) origin {
	if b, ok := s.facts.TypeOf(e).Underlying().(*types.Basic); ok && b.Kind() != types.UnsafePointer && b.Kind() != types.Uintptr {
		return fromOutside
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := s.facts.Info.Uses[e].(*types.Var)
		return s.variable(v)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			return s.address(e.X)
		case token.ARROW:
			return fromOutside
		}
		return s.origin(e.X)
	case *ast.BinaryExpr: // of numbers
		return s.most([]ast.Expr{e.X, e.Y})
	case *ast.SliceExpr:
		if typeset.Perhaps(s.facts.TypeOf(e.X), typeset.IsA[*types.Array]) {
			return s.address(e.X)
		}
		return s.origin(e.X)
	case *ast.SelectorExpr:
		return s.part(e, e.X)
	case *ast.IndexExpr:
		return s.part(e, e.X)
	case *ast.StarExpr:
		return s.part(e, e.X)
	case *ast.TypeAssertExpr:
		return s.origin(e.X)
	case *ast.KeyValueExpr:
		return s.origin(e.Value)
	case *ast.CompositeLit:
		return s.most(e.Elts)
	case *ast.CallExpr:
		return s.call(e)
	}
	return fromOutside
}

// part returns the origin of e, which is a part of x or of x's target. Memory is outside of the
// function, unless it is one of its variables read as another type.
func (s *origins) part(e, x ast.Expr) origin {
	if v := s.facts.RootVar(e); v != nil {
		return s.variable(v)
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if ok && s.facts.IsConversion(call) || s.hasInside(x) {
		return s.origin(x)
	}
	return fromOutside
}

// hasInside reports whether an element or a field of x is a part of x itself.
func (s *origins) hasInside(x ast.Expr) bool {
	return typeset.Perhaps(s.facts.TypeOf(x), func(t types.Type) bool { return typeset.IsA[*types.Struct](t) || typeset.IsA[*types.Array](t) })
}

// address returns the origin of the address of e.
func (s *origins) address(e ast.Expr) origin {
	if v := s.facts.RootVar(e); v != nil {
		if Within(s.facts.Source.Decl, v.Pos()) {
			return fromOwn
		}
		return fromOutside
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return s.origin(e.X)
	case *ast.SelectorExpr:
		return s.addressOfPart(e.X)
	case *ast.IndexExpr:
		return s.addressOfPart(e.X)
	}
	return fromOwn // a composite literal
}

func (s *origins) addressOfPart(x ast.Expr) origin {
	if s.hasInside(x) {
		return s.address(x)
	}
	return s.origin(x)
}

// call returns the origin of the result of a call or a conversion. A call that receives an
// address may hide it.
func (s *origins) call(call *ast.CallExpr) origin {
	fun := ast.Unparen(call.Fun)
	if s.facts.IsConversion(call) {
		return s.conversionOrigin(call.Args[0])
	}
	from := s.most(call.Args)
	if sel, ok := fun.(*ast.SelectorExpr); ok && s.facts.Info.Selections[sel] != nil {
		from = max(from, s.origin(sel.X))
		if s.facts.takesAddress(sel) {
			from = max(from, s.address(sel.X))
		}
	}
	if _, builtin := s.facts.Builtin(fun); from == fromOwn && !builtin {
		return fromHidden
	}
	return from
}

// conversionOrigin returns the origin of a conversion of e. The compiler follows a number if it
// is computed from a pointer in the same expression.
func (s *origins) conversionOrigin(e ast.Expr) origin {
	if !typeset.IsBasic(s.facts.TypeOf(e), types.Uintptr) {
		return s.origin(e)
	}
	from, followed := fromOutside, false
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && s.facts.IsConversion(call) && typeset.IsBasic(s.facts.TypeOf(call.Args[0]), types.UnsafePointer) {
			from, followed = max(from, s.origin(call.Args[0])), true
			return false
		}
		return true
	})
	if !followed {
		return fromHidden
	}
	return from
}

// isAddress reports whether the number e may be the address of a variable of the function. It
// follows sums and variables but not calls: most numbers that calls compute from an address (a
// hash, a length) are not addresses.
func (s *origins) isAddress(e ast.Expr) bool {
	if !typeset.IsBasic(s.facts.TypeOf(e), types.Uintptr) {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := s.facts.Info.Uses[e].(*types.Var)
		return s.anyAddress(v)
	case *ast.BinaryExpr:
		x, y := s.isAddress(e.X), s.isAddress(e.Y)
		switch e.Op {
		case token.ADD, token.OR, token.XOR:
			return x || y
		case token.SUB: // the difference of two addresses is a distance
			return x && !y
		case token.AND_NOT:
			return x
		}
	case *ast.CallExpr:
		if !s.facts.IsConversion(e) {
			return false
		}
		if typeset.IsBasic(s.facts.TypeOf(e.Args[0]), types.UnsafePointer) {
			return s.origin(e.Args[0]) != fromOutside
		}
		return s.isAddress(e.Args[0])
	}
	return false
}

// anyAddress reports whether one of the values of v is an address.
func (s *origins) anyAddress(v *types.Var) bool {
	if v == nil || s.asking[v] {
		return false
	}
	s.asking[v] = true
	defer delete(s.asking, v)
	return slices.ContainsFunc(s.values[v], s.isAddress)
}
