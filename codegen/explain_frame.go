package codegen

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// explainFrame lists the fields and adds up their sizes, as gc lays them out.
func (u *unit) explainFrame(m *Machine) {
	var layout []*types.Var
	known := true
	add := func(f Field, t types.Type) {
		if t == nil || hasTypeParam(t) {
			known, f.Bytes = false, -1
		} else {
			f.Bytes = u.sizes.Sizeof(t)
			layout = append(layout, types.NewField(token.NoPos, nil, f.Name, t, false))
		}
		m.Fields = append(m.Fields, f)
	}
	if u.streams() {
		value := u.fn.Stream.Value
		p := &printer{u: u}
		add(Field{Name: "Producer", Type: p.embedded(), Origin: OriginRuntime}, instantiated(u.runtimeType("Producer"), value))
	} else {
		add(Field{Name: "Frame", Type: "statemachine.Frame", Origin: OriginRuntime}, u.runtimeType("Frame"))
	}
	if u.defers {
		add(Field{Name: u.names.defers, Type: "statemachine.Defers", Origin: OriginRuntime}, u.runtimeType("Defers"))
	}
	if u.loops {
		add(Field{Name: u.names.loops, Type: "statemachine.Loops", Origin: OriginRuntime}, u.runtimeType("Loops"))
	}
	for _, s := range u.frameOrder() {
		f, t := u.explainField(s)
		add(f, t)
	}
	m.Bytes = -1
	if known {
		m.Bytes = u.sizes.Sizeof(types.NewStruct(layout, nil))
	}
}

// runtimeType is a type of package statemachine, nil if that has none of the name.
func (u *unit) runtimeType(name string) types.Type {
	for _, p := range u.fn.Package.Types.Imports() {
		if p.Path() != source.StatemachinePath {
			continue
		}
		if obj := p.Scope().Lookup(name); obj != nil {
			return obj.Type()
		}
	}
	return nil
}

// instantiated is a generic type with an argument, nil if there is no such type.
func instantiated(generic types.Type, arg types.Type) types.Type {
	if generic == nil {
		return nil
	}
	t, err := types.Instantiate(nil, generic, []types.Type{arg}, true)
	if err != nil {
		return nil
	}
	return t
}

func (u *unit) explainField(s *slot) (Field, types.Type) {
	v := s.vars[0]
	f := Field{Name: s.field, Origin: OriginTemporary}
	p := &printer{u: u}
	f.Type = p.homeType(v)
	t := v.typ
	switch {
	case v.unnamed:
		t = types.NewInterfaceType(nil, nil)
	case v.typeText != nil && strings.HasPrefix(f.Type, "*"):
		t = types.NewPointer(types.Typ[types.Int])
	case v.typeText != nil:
		t = types.NewInterfaceType(nil, nil) // an awaiter
	case v.cell:
		t = types.NewPointer(types.Typ[types.Int])
	}
	switch {
	case v.result:
		f.Origin = OriginResult
	case v.param:
		f.Origin = OriginParameter
	case v.obj != nil:
		f.Origin = OriginLocal
	}
	for _, v := range s.vars {
		if v.obj != nil && v.obj.Name() != "" && !slices.Contains(f.Holds, v.obj.Name()) {
			f.Holds = append(f.Holds, v.obj.Name())
		}
	}
	return f, t
}
