package codegen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Sharing: one field for several variables.
//
// Two variables may have one field if they are of one type and no assignment to one of
// them happens while the value of the other is needed. The second half is the point. It
// would not suffice that they are never live at the same time: an assignment whose
// value is never read still overwrites the field.
//
// Parameters and results have fields of their own: users look for them, and the caller
// reads results at the end. Variables with cells have their own fields, too.

// slot is a field of the frame.
type slot struct {
	vars  []*variable
	field string
}

// shareable is how many names may be in the name of a field.
const shareable = 3

// isShared reports whether the field serves several variables.
func (s *slot) isShared() bool { return s != nil && len(s.vars) > 1 }

// names are the different names of a field's variables.
func (s *slot) names() []string {
	var list []string
	for _, v := range s.vars {
		name := v.name
		if name == "_" {
			name = "blank"
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// stem is the field's name without its number: err, or iOrCount.
func (s *slot) stem() string {
	list := s.names()
	for i := range list[1:] {
		list[i+1] = typetext.SetFirst(list[i+1], true)
	}
	return strings.Join(list, "Or")
}

// share gives all variables of the frame their fields.
func (u *unit) share() {
	conflicts := u.conflicts()
	byType := map[string][]*slot{}
	for _, v := range u.all {
		if v.place != inFrame || !u.stored(v) {
			continue
		}
		key := u.slotKey(v)
		for _, s := range byType[key] {
			if s.takes(v, conflicts) {
				v.slot = s
				s.vars = append(s.vars, v)
				break
			}
		}
		if v.slot == nil {
			v.slot = &slot{vars: []*variable{v}}
			u.slots = append(u.slots, v.slot)
			byType[key] = append(byType[key], v.slot)
		}
	}
}

// slotKey is equal for variables that may share: of one type, and both of the
// source or both made by the lowering.
func (u *unit) slotKey(v *variable) string {
	spell := v.typeText
	if spell == nil {
		spell = func() (string, error) { return u.imports.TypeString(v.typ) }
	}
	spelled, err := spell()
	if err != nil || v.param || v.result || v.cell || u.debug {
		return strconv.Itoa(v.index) // its own; the error is found again where the type is printed
	}
	return strconv.FormatBool(v.obj != nil) + spelled
}

// takes reports whether v may have the field, too.
func (s *slot) takes(v *variable, conflicts []set) bool {
	for _, w := range s.vars {
		if conflicts[v.index].has(w.index) {
			return false
		}
	}
	names := s.names()
	return len(names) < shareable || slices.Contains(names, v.name)
}

// conflicts returns for each variable those that must not share a field with it.
func (u *unit) conflicts() []set {
	all := make([]set, len(u.all))
	for i := range all {
		all[i] = u.live.newSet()
	}
	between := func(assigned []*variable, live set) {
		for _, v := range assigned {
			all[v.index].join(live, nil)
			for w := range live.members() {
				all[w].add(v.index)
			}
			for _, w := range assigned {
				all[v.index].add(w.index)
			}
		}
	}
	between(u.given(), u.live.at[0]) // they have their values before the first instruction
	for n, i := range u.code {
		if list := mayAssign(i); len(list) > 0 {
			between(list, u.live.after(n))
		}
	}
	return all
}

// given are the receiver and the parameters, and what a literal captures.
func (u *unit) given() []*variable {
	var list []*variable
	if u.recv != nil {
		list = append(list, u.recv)
	}
	return append(list, u.parameters()...)
}

// mayAssign lists the variables that an instruction may assign, wholly or in part. For
// a kept statement, that is every variable that it mentions.
func mayAssign(i instr) []*variable {
	var list []*variable
	add := func(v *variable) { list = append(list, v) }
	switch i := i.(type) {
	case *branch, *park:
		return nil // an expression assigns only what has a cell
	case *assign:
		for _, t := range i.dst {
			if t.v != nil {
				add(t.v)
			}
			t.place.uses(add) // x.f = 1 changes x
		}
		if len(i.dst) > 1 {
			i.src.uses(add) // vet objects to x, y = x, z
		}
	default:
		i.refs(add, add)
	}
	return list
}
