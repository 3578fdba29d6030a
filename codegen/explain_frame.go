package codegen

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// explainFrame lists the fields and sums their sizes, following gc's layout.
func (fn *placedFunction) explainFrame(frame *emit.Frame) (fields []Field, bytes int64) {
	var layout []*types.Var
	known := true
	add := func(f Field, t types.Type) {
		if t == nil || typeset.HasParam(t) {
			known, f.Bytes = false, -1
		} else {
			f.Bytes = fn.Facts.Sizes.Sizeof(t)
			layout = append(layout, types.NewField(token.NoPos, nil, f.Name, t, false))
		}
		fields = append(fields, f)
	}
	if fn.Streams() {
		value := fn.Source.Stream.Value
		add(Field{Name: "Producer", Type: frame.Head, Origin: OriginRuntime}, instantiate(fn.runtimeType("Producer"), value))
	} else {
		add(Field{Name: "Frame", Type: "statemachine.Frame", Origin: OriginRuntime}, fn.runtimeType("Frame"))
	}
	if fn.Defers {
		add(Field{Name: fn.Names.Defers, Type: "statemachine.Defers", Origin: OriginRuntime}, fn.runtimeType("Defers"))
	}
	if fn.Loops {
		add(Field{Name: fn.Names.Loops, Type: "statemachine.Loops", Origin: OriginRuntime}, fn.runtimeType("Loops"))
	}
	for _, field := range frame.Fields {
		f, t := explainField(field)
		add(f, t)
	}
	if !known {
		return fields, -1
	}
	return fields, fn.Facts.Sizes.Sizeof(types.NewStruct(layout, nil))
}

// runtimeType returns the type of that name in package statemachine, or nil if there is none.
func (fn *placedFunction) runtimeType(name string) types.Type {
	for _, p := range fn.Source.Package.Types.Imports() {
		if p.Path() != source.StatemachinePath {
			continue
		}
		if obj := p.Scope().Lookup(name); obj != nil {
			return obj.Type()
		}
	}
	return nil
}

// instantiate returns generic with the type argument arg, or nil if there is no such type.
func instantiate(generic types.Type, arg types.Type) types.Type {
	if generic == nil {
		return nil
	}
	t, err := types.Instantiate(nil, generic, []types.Type{arg}, true)
	if err != nil {
		return nil
	}
	return t
}

// explainField describes a field that holds variables, and returns a type of the field's size.
func explainField(field emit.Field) (Field, types.Type) {
	s := field.Slot
	v := s.Vars[0]
	f := Field{Name: s.Field, Type: field.Type, Origin: OriginTemporary}
	t := v.Type
	switch {
	case v.Unnamed:
		t = types.NewInterfaceType(nil, nil)
	case v.Spelled != nil && strings.HasPrefix(f.Type, "*"):
		t = types.NewPointer(types.Typ[types.Int])
	case v.Spelled != nil:
		t = types.NewInterfaceType(nil, nil) // an awaiter
	case v.Cell:
		t = types.NewPointer(types.Typ[types.Int])
	}
	switch {
	case v.Result:
		f.Origin = OriginResult
	case v.Param:
		f.Origin = OriginParameter
	case v.Obj != nil:
		f.Origin = OriginLocal
	}
	for _, v := range s.Vars {
		if v.Obj != nil && v.Obj.Name() != "" && !slices.Contains(f.Holds, v.Obj.Name()) {
			f.Holds = append(f.Holds, v.Obj.Name())
		}
	}
	return f, t
}

// edges follows the instructions from each point to the points reached next.
func (fn *placedFunction) edges() []Edge {
	var list []Edge
	follow := func(from int, work ...int) {
		seen := map[int]bool{}
		reached := map[int]bool{}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if n >= len(fn.Code) || seen[n] {
				continue
			}
			seen[n] = true
			if p, ok := fn.Code[n].(*ir.Park); ok {
				reached[p.Point.Number] = true
				if p.Point.Kind == source.KindDeferred {
					reached[AtEnd] = true
				}
				continue
			}
			if ends(fn.Code[n]) {
				reached[AtEnd] = true
			}
			if _, ok := fn.Code[n].(*ir.Handler); ok {
				work = append(work, n+1) // the path of a panic is not drawn
				continue
			}
			work = append(work, fn.live.Next(n)...)
		}
		for to := AtEnd; to <= len(fn.Points()); to++ {
			if reached[to] {
				list = append(list, Edge{from, to})
			}
		}
	}
	follow(AtStart, 0)
	for _, p := range fn.Points() {
		if p.Resumed != nil {
			follow(p.Number, p.Resume.At, p.Resumed.At)
		} else {
			follow(p.Number, p.Resume.At)
		}
	}
	return list
}

// ends reports whether the machine may finish at an instruction.
func ends(i ir.Instr) bool {
	found := false
	inSpan := func(s *ir.Span) {
		for _, e := range s.Edit {
			found = found || slices.ContainsFunc(e.Code, ends)
		}
	}
	switch i := i.(type) {
	case *ir.Finish:
		return true
	case *ir.Keep:
		inSpan(&i.Text)
	case *ir.Dispatch:
		for _, c := range i.Clauses {
			for _, s := range c.Body {
				inSpan(s)
			}
		}
	}
	return found
}
