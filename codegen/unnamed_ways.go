package codegen

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Ways to types that cannot be named. Each begins at something that has a name and that
// the function mentions: a function, variable or constant of a package, or a type. Each
// step leads from a type to one that belongs to it: the elements of a slice, the
// results of a function or a method, the field of a struct. Since every value of the
// function comes from somewhere, nearly every type is at the end of such a way.
//
//	other.New         func() (*box[t], error)     statemachine.Like(other.New)
//	its result 0      *box[t]                     fetchLike1(…)
//	what that is of   box[t]                      fetchLike2(…)
//	field Value       t                           &statemachine.New(…).Value
//
// The search is breadth-first, so that the first way found is the shortest. It is
// bounded: types lead to types without end, and those of interest are near.

// way makes the expression for a nil pointer to a type. It is made on demand, for it
// takes declarations.
type way func() string

// ways are those of one annotated function.
type ways struct {
	u         *unit
	known     typeutil.Map // types to ways
	queue     []types.Type
	mentioned map[string]bool // names in the function
	calls     []*ast.Ident    // generic functions whose type arguments cannot be named
}

const furthest = 4000 // types

// waysTo are the ways of the annotated function.
func (u *unit) waysTo() *ways {
	if u.ways == nil {
		u.ways = &ways{u: u, mentioned: map[string]bool{"GetAwaiter": true, "Await": true}}
		u.ways.search()
	}
	return u.ways
}

func (w *ways) find(t types.Type) (way, bool) {
	found, ok := w.known.At(t).(way)
	return found, ok
}

func (w *ways) add(t types.Type, by way) {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 || w.known.At(t) != nil || w.known.Len() >= furthest {
		return
	}
	w.known.Set(t, by)
	w.queue = append(w.queue, t)
}

func (w *ways) search() {
	ast.Inspect(w.u.fn.Decl, w.begin)
	for len(w.queue) > 0 {
		for len(w.queue) > 0 {
			t := w.queue[0]
			w.queue = w.queue[1:]
			w.from(t, w.known.At(t).(way))
		}
		for _, id := range w.calls {
			w.fromCall(id)
		}
	}
}

// begin adds what has a name.
func (w *ways) begin(n ast.Node) bool {
	u := w.u
	if e, ok := n.(ast.Expr); ok {
		if t := u.info.TypeOf(e); t != nil {
			if spelled, err := u.imports.TypeString(t); err == nil {
				w.add(t, u.nilPointer(spelled))
			}
		}
	}
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	w.mentioned[id.Name] = true
	obj := u.info.Uses[id]
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return true
	}
	switch obj := obj.(type) {
	case *types.Var:
		w.add(obj.Type(), func() string { return "&" + w.spelled(obj) })
	case *types.Const:
		w.add(obj.Type(), func() string { return w.like(w.spelled(obj)) })
	case *types.Func:
		instance, generic := u.info.Instances[id]
		switch args, explicit := w.typeArgs(instance); {
		case !generic:
			w.add(obj.Type(), func() string { return w.like(w.spelled(obj)) })
		case explicit:
			w.add(instance.Type, func() string { return w.like(w.spelled(obj) + args) })
		default:
			w.calls = append(w.calls, id)
		}
	}
	return true
}

func (w *ways) spelled(obj types.Object) string {
	if q := w.u.imports.Name(obj.Pkg()); q != "" {
		return q + "." + obj.Name()
	}
	return obj.Name()
}

// typeArgs are the type arguments that can be named, and whether those are all. Those
// after the first that cannot be must be inferred.
func (w *ways) typeArgs(instance types.Instance) (spelled string, all bool) {
	var list []string
	for t := range instance.TypeArgs.Types() {
		s, err := w.u.imports.TypeString(t)
		if err != nil {
			break
		}
		list = append(list, s)
	}
	if len(list) > 0 {
		spelled = "[" + strings.Join(list, ", ") + "]"
	}
	return spelled, len(list) == instance.TypeArgs.Len()
}

func (w *ways) like(value string) string { return w.runtime("Like") + "(" + value + ")" }

func (w *ways) runtime(name string) string { return (&printer{u: w.u}).runtime(name) }

// step is a way that continues with a function that leads from a type to another.
func (w *ways) step(by way, typeParams, from, to string) way {
	return func() string { return w.u.inferring(typeParams, "*"+from, to) + "(" + by() + ")" }
}

// from adds what t leads to.
func (w *ways) from(t types.Type, by way) {
	w.methods(t, by)
	anything := w.u.imports.Anything()
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		w.add(t.Elem(), w.step(by, "P ~*E, E "+anything, "P", "E"))
	case *types.Slice:
		w.add(t.Elem(), w.step(by, "S ~[]E, E "+anything, "S", "E"))
	case *types.Array:
		w.add(t.Elem(), w.step(by, fmt.Sprintf("A ~[%d]E, E %s", t.Len(), anything), "A", "E"))
	case *types.Map:
		w.add(t.Key(), w.step(by, "M ~map[K]E, K comparable, E "+anything, "M", "K"))
		w.add(t.Elem(), w.step(by, "M ~map[K]E, K comparable, E "+anything, "M", "E"))
	case *types.Chan:
		kind := map[types.ChanDir]string{types.SendRecv: "chan E", types.SendOnly: "chan<- E", types.RecvOnly: "<-chan E"}[t.Dir()]
		w.add(t.Elem(), w.step(by, "C ~"+kind+", E "+anything, "C", "E"))
	case *types.Signature:
		f := shapeOf(t)
		w.parts(f, func(part string) way { return w.step(by, "F ~func"+f.text+f.typeParams(w.u.imports), "F", part) })
	case *types.Struct:
		w.fields(t, by)
	}
}

// fields adds those that can be selected without following a pointer: the like is of a
// value that is all zero.
func (w *ways) fields(s *types.Struct, by way) {
	self := w.u.fn.Package.Types
	names := map[string]bool{}
	for f := range s.Fields() {
		names[f.Name()] = true
	}
	for name := range w.mentioned {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		obj, _, indirect := types.LookupFieldOrMethod(s, true, self, name)
		f, ok := obj.(*types.Var)
		if !ok || indirect || name == "_" {
			continue
		}
		w.add(f.Type(), func() string { return "&" + w.runtime("New") + "(" + by() + ")." + name })
	}
}

// methods adds the types of the methods that the function calls, by their names.
func (w *ways) methods(t types.Type, by way) {
	self := w.u.fn.Package.Types.Path()
	for sel := range types.NewMethodSet(t).Methods() {
		m := sel.Obj().(*types.Func)
		if w.mentioned[m.Name()] && (m.Exported() || m.Pkg().Path() == self) {
			f := shapeOf(sel.Type().(*types.Signature))
			w.add(sel.Type(), w.step(by, "I interface{ "+m.Name()+f.text+" }"+f.typeParams(w.u.imports), "I", "func"+f.text))
		}
	}
	if _, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(t) {
		w.add(types.NewPointer(t), func() string { return w.like(by()) })
	}
}

// fromCall adds the types of a generic function's parameters and results, if something
// is known of the parameters.
func (w *ways) fromCall(id *ast.Ident) {
	instance := w.u.info.Instances[id]
	args, _ := w.typeArgs(instance)
	sig := instance.Type.(*types.Signature)
	f := shapeOf(sig)
	from := []string{"func" + f.text}
	likes := []way{func() string { return w.spelled(w.u.info.Uses[id]) + args }}
	for i, t := range f.params {
		by, ok := w.u.likeOfType(t)
		if !ok {
			return
		}
		from, likes = append(from, "*A"+strconv.Itoa(i+1)), append(likes, by)
	}
	w.parts(f, func(part string) way {
		return func() string {
			name := w.u.inferring(strings.TrimPrefix(f.typeParams(w.u.imports), ", "), strings.Join(from, ", "), part)
			return name + "(" + joinedWays(likes) + ")"
		}
	})
}

// parts adds parameters and results of a function.
func (w *ways) parts(f shape, to func(part string) way) {
	for i, t := range f.results {
		w.add(t, to("R"+strconv.Itoa(i+1)))
	}
	for i, t := range f.params {
		w.add(t, to("A"+strconv.Itoa(i+1)))
	}
}

// shape is a function's type with a type parameter for each of its types: (A1, ...A2)
// (R1, R2).
type shape struct {
	text            string
	params, results []types.Type
}

func shapeOf(sig *types.Signature) shape {
	var f shape
	var params, results []string
	for i := range sig.Params().Len() {
		t, name := sig.Params().At(i).Type(), "A"+strconv.Itoa(i+1)
		if slice, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			t, name = slice.Elem(), "..."+name
		}
		f.params, params = append(f.params, t), append(params, name)
	}
	for i := range sig.Results().Len() {
		f.results, results = append(f.results, sig.Results().At(i).Type()), append(results, "R"+strconv.Itoa(i+1))
	}
	f.text = "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
	if len(results) == 0 {
		f.text = "(" + strings.Join(params, ", ") + ")"
	}
	return f
}

// typeParams are those, to be written after another: ", A1, A2, R1 any".
func (f shape) typeParams(im *typetext.Imports) string {
	var b strings.Builder
	for i := range f.params {
		fmt.Fprintf(&b, ", A%d", i+1)
	}
	for i := range f.results {
		fmt.Fprintf(&b, ", R%d", i+1)
	}
	if b.Len() > 0 {
		b.WriteString(" " + im.Anything())
	}
	return b.String()
}
