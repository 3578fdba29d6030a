package durable

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// lowering is a durable function during its translation.
type lowering struct {
	*Kind
	name string // of the durable function
	fn   *source.Function
	im   *typetext.Imports
	info *types.Info

	ctx, recv *types.Var // nil if the function has none; recv may be unnamed
	request   *variable  // nil if the function has none
	result    *variable  // nil if the function returns only an error
	err       *variable
	vars      map[*types.Var]*variable
	list      []*variable
	fields    map[string]bool // names in use in the frame
	loopVars  map[*variable]bool

	code       []*instr
	targets    []target
	labels     map[string]bool // labels in use
	points     []*point
	undos      []*undo
	pointNames map[int]*directive      // by line
	kinds      map[*types.Scope]string // the kinds of their statements; nil before the first use
	findings   []source.Diagnostic
	declared   map[types.Object]*ast.FuncDecl // of the package; nil before the first use

	frame, turn string // their names in the generated code
}

// instr is one instruction.
type instr struct {
	text  string
	label string   // the instruction is this label, and has no text
	to    []string // labels it may jump to
	stops bool     // execution does not continue with the next instruction
	uses  []*variable
	defs  []*variable
	pause *pause // it ends the turn, and has no text
}

// Translate translates a durable function into declarations, unformatted, and compares it with its
// past. If it cannot translate the whole function, it returns findings instead. It is safe for
// concurrent use.
func (k *Kind) Translate(fn *source.Function, im *typetext.Imports) ([]byte, []source.Diagnostic) {
	lo := &lowering{
		Kind: k, name: k.names[source.KeyOf(fn.Object)], fn: fn, im: im, info: fn.Package.Info,
		vars: map[*types.Var]*variable{}, fields: map[string]bool{},
		loopVars: map[*variable]bool{}, labels: map[string]bool{}, pointNames: map[int]*directive{},
	}
	for _, method := range []string{"MoveNext", "Call", "Live", "Outcome", "Deferred", "Undo", "NoDeferred"} {
		lo.fields[method] = true
	}
	lo.frame, lo.turn = im.Fresh("f"), im.Fresh("t")
	lo.readDirectives()
	lo.signature()
	if len(lo.findings) > 0 {
		return nil, lo.findings
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok {
			lo.labels[l.Label.Name] = true
		}
		return true
	})
	lo.block(fn.Decl.Body.List)
	lo.add(&instr{text: "return " + lo.turn + ".Return()", stops: true, uses: lo.results()})
	lo.checkFunctionValues()
	lo.prune()
	lo.live()
	lo.checkPoints()
	if len(lo.findings) > 0 {
		return nil, lo.findings
	}
	present := lo.layout()
	past := lo.since(present)
	if len(lo.findings) > 0 {
		return nil, lo.findings
	}
	return lo.print(present.Hash(), past), lo.findings
}

func (lo *lowering) add(i *instr) { lo.code = append(lo.code, i) }

func (lo *lowering) mark(label string) { lo.add(&instr{label: label}) }

func (lo *lowering) jump(label string) {
	lo.add(&instr{text: "goto " + label, to: []string{label}, stops: true})
}

// label returns a new label.
func (lo *lowering) label(stem string) string {
	for n := 1; ; n++ {
		if name := stem + strconv.Itoa(n); !lo.labels[name] {
			lo.labels[name] = true
			return name
		}
	}
}

// results returns the variables of the results.
func (lo *lowering) results() []*variable {
	if lo.result == nil {
		return []*variable{lo.err}
	}
	return []*variable{lo.result, lo.err}
}

// refuse reports that a durable function cannot contain something.
func (lo *lowering) refuse(d source.Diagnostic) { lo.findings = append(lo.findings, d) }

// refusal returns the finding that something is not supported.
func refusal(pos source.Extent, what, why, remedy string) source.Diagnostic {
	return source.Unsupported(pos, what, why, remedy)
}
