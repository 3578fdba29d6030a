package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// overBudget returns the finding that the frame of the function is larger than its annotation
// allows. The frames of literals in it have no budget. The forms for debuggers keep more, and have
// none either.
func (t *translation) overBudget() []source.Diagnostic {
	fn := t.facts.Source
	budget, at := source.Budget(fn.Decl)
	if budget == 0 || t.root.Tail != nil || len(t.root.Points()) == 0 {
		return nil
	}
	m, pos := t.root.explain(&t.printed.Frames[0]), fn.Package.Position(at.Pos())
	switch {
	case m.Bytes < 0:
		return []source.Diagnostic{frameOfAnySize(pos, m.Name)}
	case m.Bytes > budget:
		return []source.Diagnostic{frameTooLarge(pos, m, budget)}
	}
	return nil
}

// bySize lists fields with their sizes, the largest first, and the runtime's part at the end. A
// field is called after the variables that it holds.
func bySize(fields []Field) string {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(b.Bytes, a.Bytes) })
	var list []string
	var runtime int64
	for _, f := range fields {
		name := f.Name
		if f.Origin == OriginRuntime {
			runtime += f.Bytes
			continue
		}
		if len(f.Holds) > 0 {
			name = strings.Join(f.Holds, " or ")
		}
		list = append(list, fmt.Sprintf("%s (%d)", name, f.Bytes))
	}
	return strings.Join(append(list, fmt.Sprintf("the runtime's part (%d)", runtime)), ", ")
}
