package emit

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Spelling writes the types of the variables of an annotated function and its literals.
type Spelling struct {
	Source  *source.Function
	Imports *typetext.Imports       // of the generated file
	Frames  map[*ast.FuncLit]string // the types of the frames of the literals
}

// TypeOf returns the type of a variable as the generated file writes it. err says that the type
// has no name there; found are the parts of the type that have none.
func (s *Spelling) TypeOf(v *ir.Variable) (text string, found []source.Diagnostic, err error) {
	if v.Spelled == nil {
		text, err = s.Imports.TypeString(v.Type)
		return text, nil, err
	}
	var b strings.Builder
	for _, part := range v.Spelled {
		switch o := part.Open.(type) {
		case nil:
			b.WriteString(part.Text)
		case ir.Imported:
			b.WriteString(s.Imports.Path(o.Path, o.Preferred))
		case ir.FrameOf:
			b.WriteString(s.Frames[o.Lit])
		case ir.TypeName:
			name, err := s.Imports.TypeString(o.Type)
			switch {
			case err != nil && o.At == nil:
				return "", found, err
			case err != nil:
				found = append(found, unnameableType(s.Source.Extent(o.At), err))
			}
			b.WriteString(name)
		default:
			panic(fmt.Sprintf("emit: unknown part %T of a type", o))
		}
	}
	return b.String(), found, nil
}
