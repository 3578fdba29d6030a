package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/keep"
	"github.com/movenext/movenext/codegen/internal/lower"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

// The phases that turn a function into text: analyse, lower, keep, place, name, emit. Each
// receives the output of the phases before it, and knows nothing of those after it.

// form selects the form of the machine.
type form struct {
	debug   bool // for stepping through
	records bool // likewise, and records each step
	traces  bool // says where statements of the source begin
}

// translation is an annotated function after all phases.
type translation struct {
	form
	facts       *analyse.Facts
	lowered     *lower.Output
	derivations *unnamed.Derivations
	frames      map[*ast.FuncLit]string // the types of the literals' frames, once they are needed
	root        *placedFunction
	literals    []*placedFunction
	printed     emit.Output
	findings    []source.Diagnostic // if there are any, the text must not be used
}

// placedFunction is a function, or a literal in it that is a machine, whose variables have places
// and names.
type placedFunction struct {
	*lower.Function
	live    *place.Liveness                     // nil: it needs no frame
	unnamed map[*ir.Variable]unnamed.Derivation // how to infer the types that cannot be named
}

// translator returns the text of a function's generated declarations, unformatted. If it cannot
// translate the whole function, it returns findings instead; it never omits a part.
type translator func(*source.Function, *typetext.Imports) ([]byte, []source.Diagnostic)

// translating returns the translator for a form.
func translating(as form) translator {
	return func(fn *source.Function, imports *typetext.Imports) ([]byte, []source.Diagnostic) {
		t := translate(fn, imports, as)
		if len(t.findings) == 0 && as == (form{}) {
			t.findings = t.overBudget()
		}
		return t.text()
	}
}

// text returns the printed text, or the findings.
func (t *translation) text() ([]byte, []source.Diagnostic) {
	if len(t.findings) > 0 {
		return nil, t.findings
	}
	return t.printed.Text, nil
}

// translate calls the phases one after another.
func translate(fn *source.Function, imports *typetext.Imports, as form) *translation {
	t := &translation{form: as, facts: analyse.Function(fn, imports)}
	if t.findings = t.facts.Findings; len(t.findings) > 0 {
		return t
	}
	t.lowered = lower.Instructions(t.facts, lower.Options{Framed: as.debug})
	t.findings = t.lowered.Findings
	t.derivations = unnamed.New(fn, imports)
	t.root = &placedFunction{Function: t.lowered.Root}
	for _, l := range t.lowered.Literals {
		t.literals = append(t.literals, &placedFunction{Function: l})
	}
	if t.root.Tail == nil {
		t.place(t.root)
		for _, l := range t.literals {
			t.place(l)
		}
	}
	t.printed = emit.Declarations(t.input())
	t.findings = append(t.findings, t.printed.Findings...)
	return t
}

// place decides where the variables of a function live, then chooses their names.
func (t *translation) place(fn *placedFunction) {
	if t.records {
		fn.Names.NameSteps()
	}
	spelling := t.spelling()
	spell := func(v *ir.Variable) (string, error) {
		text, found, err := spelling.TypeOf(v)
		t.findings = append(t.findings, found...)
		return text, err
	}
	fn.unnamed = t.derivations.Find(fn.Vars, spell)
	if t.debug {
		fn.keepNamed()
	} else {
		keep.Peers(fn.Code)
	}
	fn.live = place.Variables(&place.Function{Function: fn.Function.Function, Sizes: fn.Facts.Sizes, Spell: spell, Debug: t.debug})
	t.findings = append(t.findings, fn.heldUnsafe()...)
	fn.Names.Choose(naming.Placed{
		Points: fn.Points(), Slots: fn.Slots, Vars: fn.Vars, Results: fn.Results, Returned: place.PassedVariables(fn.Results), Hides: fn.hides,
	})
}

// input returns the input of the printer.
func (t *translation) input() *emit.Input {
	in := &emit.Input{
		Spelling: t.spelling(), Debug: t.debug, Records: t.records, Traces: t.traces,
		Derivations: t.derivations, Root: t.root.output(), Types: t.lowered.Types,
	}
	for _, l := range t.literals {
		in.Literals = append(in.Literals, l.output())
	}
	return in
}

// spelling writes the types of variables, including those of the literals.
func (t *translation) spelling() emit.Spelling {
	if t.frames == nil {
		t.frames = map[*ast.FuncLit]string{}
		args := t.facts.Imports.TypeArgs(t.facts.Source)
		for lit, l := range t.facts.Literals.Machines {
			t.frames[lit] = l.Names.Frame + args
		}
	}
	return emit.Spelling{Source: t.facts.Source, Imports: t.facts.Imports, Frames: t.frames}
}

// output returns the printer's input for one function.
func (fn *placedFunction) output() *emit.Function {
	return &emit.Function{Function: fn.Function.Function, Names: fn.Names, Unnamed: fn.unnamed}
}

// keepNamed moves to the frame all source variables whose types can be named there, so that
// in the debug form a debugger finds them after a suspension, too.
func (fn *placedFunction) keepNamed() {
	for _, v := range fn.Vars {
		if v.Obj == nil {
			continue
		}
		if _, err := fn.Facts.Imports.TypeString(v.Type); err == nil {
			v.Place = ir.InFrame
		}
	}
}

// hides reports whether a kept statement declares the name of a result: a return
// statement in it still assigns the result. Lowered variables have other names anyway.
func (fn *placedFunction) hides(result *ir.Variable) bool {
	lowered := map[types.Object]bool{}
	for _, v := range fn.Vars {
		lowered[v.Obj] = true
	}
	hidden := false
	ast.Inspect(fn.Node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return node == fn.Node // literals have results of their own
		case *ast.Ident:
			if obj, declares := fn.Facts.Info.Defs[node]; declares && node.Name == result.Name {
				hidden = hidden || obj == nil || !lowered[obj]
			}
		}
		return !hidden
	})
	return hidden
}

// heldUnsafe reports pointers that would be kept across a suspension but must not be.
func (fn *placedFunction) heldUnsafe() []source.Diagnostic {
	var found []source.Diagnostic
	for v := range fn.live.Across() {
		if v.Type != nil && typeset.IsBasic(v.Type, types.UnsafePointer) && fn.Facts.MayBeOwn(v) {
			found = append(found, heldUnsafe(fn.Source.ExtentOf(v.Obj), v.Name))
		}
	}
	return found
}
