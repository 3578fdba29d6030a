package durable

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
)

// spelling writes types so that they can be compared across versions: names have full paths, and
// each name is recorded with its definition.
type spelling struct {
	pkg   *types.Package    // of the durable function
	names map[string]string // their definitions
}

// list returns the named types that have been written, by name.
func (s *spelling) list() []layout.Type {
	var list []layout.Type
	for name, definition := range s.names {
		list = append(list, layout.Type{Name: name, Is: definition})
	}
	slices.SortFunc(list, func(a, b layout.Type) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// write writes a type.
func (s *spelling) write(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return s.writeNamed(t)
	case *types.Basic:
		return basicName(t)
	case *types.Pointer:
		return "*" + s.write(t.Elem())
	case *types.Slice:
		return "[]" + s.write(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), s.write(t.Elem()))
	case *types.Map:
		return "map[" + s.write(t.Key()) + "]" + s.write(t.Elem())
	case *types.Struct:
		var fields []string
		for f := range t.Fields() {
			fields = append(fields, f.Name()+" "+s.write(f.Type()))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	}
	return types.TypeString(t, nil)
}

// basicName resolves aliases: byte is uint8.
func basicName(t *types.Basic) string {
	if t.Kind() < types.UntypedBool && int(t.Kind()) < len(types.Typ) {
		return types.Typ[t.Kind()].Name()
	}
	return t.Name()
}

// writeNamed writes the name, and records its definition.
func (s *spelling) writeNamed(t *types.Named) string {
	obj := t.Obj()
	if obj.Pkg() == nil {
		return obj.Name() // the predeclared type error
	}
	name := obj.Pkg().Path() + "." + obj.Name()
	if args := t.TypeArgs(); args.Len() > 0 {
		var list []string
		for arg := range args.Types() {
			list = append(list, s.write(arg))
		}
		name += "[" + strings.Join(list, ",") + "]"
	}
	if _, known := s.names[name]; known {
		return name
	}
	s.names[name] = ""
	s.names[name] = s.definition(t)
	return name
}

// definition returns the definition of a name.
func (s *spelling) definition(t *types.Named) string {
	if marshals(t) {
		return "marshals itself"
	}
	u, ok := t.Underlying().(*types.Basic)
	if !ok {
		return s.write(t.Underlying())
	}
	return layout.Basic(basicName(u), s.constants(t.Obj()))
}

// constants returns the constants of a named basic type, which give its values their meaning.
// Only exported constants of other packages are visible. Those of the Go distribution do not
// change.
func (s *spelling) constants(typ *types.TypeName) []string {
	if host, _, _ := strings.Cut(typ.Pkg().Path(), "/"); typ.Pkg() != s.pkg && !strings.Contains(host, ".") {
		return nil
	}
	var list []string
	scope := typ.Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if !ok || !types.Identical(c.Type(), typ.Type()) || name == "_" || !c.Exported() && typ.Pkg() != s.pkg {
			continue
		}
		if c.Val().Kind() != constant.Unknown {
			list = append(list, name+" = "+c.Val().ExactString())
		}
	}
	return list
}
