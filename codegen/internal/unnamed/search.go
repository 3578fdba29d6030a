package unnamed

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// maxTypes is the maximum number of types that the search visits.
const maxTypes = 4000

// add adds the derivation of a type, unless there is one already, which is not longer.
func (ds *Derivations) add(t types.Type, d Derivation) {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 || ds.known.At(t) != nil || ds.known.Len() >= maxTypes {
		return
	}
	ds.known.Set(t, d)
	ds.queue = append(ds.queue, t)
}

// search finds the derivations, starting from what the function mentions.
func (ds *Derivations) search() {
	ast.Inspect(ds.fn.Decl, ds.addMention)
	for len(ds.queue) > 0 {
		for len(ds.queue) > 0 {
			t := ds.queue[0]
			ds.queue = ds.queue[1:]
			ds.addReachable(t, ds.known.At(t).(Derivation))
		}
		for _, id := range ds.calls {
			ds.addSignature(id)
		}
	}
}

// addMention adds objects and types that have names.
func (ds *Derivations) addMention(n ast.Node) bool {
	info := ds.fn.Package.Info
	if e, ok := n.(ast.Expr); ok {
		if t := info.TypeOf(e); t != nil {
			if spelled, err := ds.imports.TypeString(t); err == nil {
				ds.add(t, Nil{spelled})
			}
		}
	}
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	ds.mentioned[id.Name] = true
	obj := info.Uses[id]
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return true
	}
	switch obj := obj.(type) {
	case *types.Var:
		ds.add(obj.Type(), Address{obj})
	case *types.Const:
		ds.add(obj.Type(), Witness{Value{Object: obj}})
	case *types.Func:
		instance, generic := info.Instances[id]
		switch args, explicit := ds.typeArgs(instance); {
		case !generic:
			ds.add(obj.Type(), Witness{Value{Object: obj}})
		case explicit:
			ds.add(instance.Type, Witness{Value{obj, args}})
		default:
			ds.calls = append(ds.calls, id)
		}
	}
	return true
}

// typeArgs returns the type arguments that can be named, and whether these are all. Those after
// the first that cannot be named have to be inferred.
func (ds *Derivations) typeArgs(instance types.Instance) (spelled string, all bool) {
	var list []string
	for t := range instance.TypeArgs.Types() {
		s, err := ds.imports.TypeString(t)
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

// infer returns a derivation that continues with a function that infers one type from another.
func (ds *Derivations) infer(d Derivation, typeParams, from, to string) Derivation {
	return Inferred{TypeParams: typeParams, Params: "*" + from, Result: to, Args: []Derivation{d}}
}

// addReachable adds the types reached from t.
func (ds *Derivations) addReachable(t types.Type, d Derivation) {
	ds.addMethods(t, d)
	anything := ds.imports.Anything()
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		ds.add(t.Elem(), ds.infer(d, "P ~*E, E "+anything, "P", "E"))
	case *types.Slice:
		ds.add(t.Elem(), ds.infer(d, "S ~[]E, E "+anything, "S", "E"))
	case *types.Array:
		ds.add(t.Elem(), ds.infer(d, fmt.Sprintf("A ~[%d]E, E %s", t.Len(), anything), "A", "E"))
	case *types.Map:
		ds.add(t.Key(), ds.infer(d, "M ~map[K]E, K comparable, E "+anything, "M", "K"))
		ds.add(t.Elem(), ds.infer(d, "M ~map[K]E, K comparable, E "+anything, "M", "E"))
	case *types.Chan:
		kind := map[types.ChanDir]string{types.SendRecv: "chan E", types.SendOnly: "chan<- E", types.RecvOnly: "<-chan E"}[t.Dir()]
		ds.add(t.Elem(), ds.infer(d, "C ~"+kind+", E "+anything, "C", "E"))
	case *types.Signature:
		f := shapeOf(t)
		ds.addTuple(f, func(part string) Derivation { return ds.infer(d, "F ~func"+f.text+f.typeParams(ds.imports), "F", part) })
	case *types.Struct:
		ds.addFields(t, d)
	}
}

// addFields adds the fields that can be selected without following a pointer, because the
// witness's target is a zero value.
func (ds *Derivations) addFields(s *types.Struct, d Derivation) {
	self := ds.fn.Package.Types
	names := map[string]bool{}
	for f := range s.Fields() {
		names[f.Name()] = true
	}
	for name := range ds.mentioned {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		obj, _, indirect := types.LookupFieldOrMethod(s, true, self, name)
		f, ok := obj.(*types.Var)
		if !ok || indirect || name == "_" {
			continue
		}
		ds.add(f.Type(), Field{d, name})
	}
}

// addMethods adds the types of the methods that the function calls, by name.
func (ds *Derivations) addMethods(t types.Type, d Derivation) {
	self := ds.fn.Package.Types.Path()
	for sel := range types.NewMethodSet(t).Methods() {
		m := sel.Obj().(*types.Func)
		if ds.mentioned[m.Name()] && (m.Exported() || m.Pkg().Path() == self) {
			f := shapeOf(sel.Type().(*types.Signature))
			ds.add(sel.Type(), ds.infer(d, "I interface{ "+m.Name()+f.text+" }"+f.typeParams(ds.imports), "I", "func"+f.text))
		}
	}
	if _, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(t) {
		ds.add(types.NewPointer(t), Witness{d})
	}
}

// addSignature adds the types of a generic function's parameters and results, if the types of all
// its parameters can be derived.
func (ds *Derivations) addSignature(id *ast.Ident) {
	instance := ds.fn.Package.Info.Instances[id]
	args, _ := ds.typeArgs(instance)
	sig := instance.Type.(*types.Signature)
	f := shapeOf(sig)
	from := []string{"func" + f.text}
	derivations := []Derivation{Value{ds.fn.Package.Info.Uses[id], args}}
	for i, t := range f.params {
		d, ok := ds.To(t)
		if !ok {
			return
		}
		from, derivations = append(from, "*A"+strconv.Itoa(i+1)), append(derivations, d)
	}
	ds.addTuple(f, func(part string) Derivation {
		return Inferred{TypeParams: strings.TrimPrefix(f.typeParams(ds.imports), ", "), Params: strings.Join(from, ", "), Result: part, Args: derivations}
	})
}

// addTuple adds parameters and results of a function.
func (ds *Derivations) addTuple(f shape, to func(part string) Derivation) {
	for i, t := range f.results {
		ds.add(t, to("R"+strconv.Itoa(i+1)))
	}
	for i, t := range f.params {
		ds.add(t, to("A"+strconv.Itoa(i+1)))
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

// typeParams returns the type parameters, for use after another one: ", A1, A2, R1 any".
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
