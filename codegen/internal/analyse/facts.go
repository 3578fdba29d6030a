package analyse

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Facts describe a function, or a function literal in it that becomes a machine, for the later
// phases.
type Facts struct {
	ir.Function
	Body    *ast.BlockStmt
	Info    *types.Info
	Imports *typetext.Imports // of the generated file
	Sizes   types.Sizes

	// Found in the function.
	Points     map[*ast.CallExpr]*source.Suspension  // the calls that suspend
	Deferred   map[*ast.DeferStmt]*source.Suspension // the deferred calls that suspend
	Decomposed map[ast.Stmt]bool                     // taken apart although they do not suspend
	Kept       map[ast.Expr]*types.Named             // the functions that become values of a marked type

	Outer   *Facts   // about the function around a literal; nil: it is the annotated function
	Literal *Literal // nil likewise

	// Shared by the annotated function and its literals.
	Literals *Literals

	// Findings are about source that cannot be lowered. Those of the annotated function include
	// those of its literals.
	Findings []source.Diagnostic

	suspending map[ast.Node]bool // contains a suspension point, or is decomposed
	usage      map[types.Object]*ir.Usage
	inside     []*Literal      // in the function itself
	mentions   map[string]bool // every identifier of the annotated function
	pointers   *pointerSources // of the annotated function
}

// Function returns the facts about an annotated function and about the literals in it.
// imports are those of the generated file: they determine which types have a name there.
func Function(fn *source.Function, imports *typetext.Imports) *Facts {
	fs := newFacts(fn, imports)
	fs.analyse()
	fs.check()
	return fs
}

// analyse finds the facts about the function first, and then those about its literals.
func (fs *Facts) analyse() {
	if fs.Outer == nil {
		ast.Inspect(fs.Source.Decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				fs.mentions[id.Name] = true
			}
			return true
		})
		fs.pointers = pointerSourcesOf(fs)
		ast.Inspect(fs.Body, fs.noteUsage)
		fs.noteCaptures()
		fs.findAssigned()
		fs.findRunnerArguments()
	}
	fs.findFuncVars()
	fs.findPoints()
	fs.Defers = fs.hasDefers()
	fs.findRuns()
	if fs.Streams() {
		fs.shareParameters()
	}
	fs.findOrderHazards()
	for _, v := range fs.signatureResults() {
		if f := fs.usageOf(v); f.Captured {
			f.Mutated = true // by return statements
		}
	}
	for _, l := range fs.inside {
		l.Facts.analyse()
	}
}

// newFacts returns empty facts.
func newFacts(fn *source.Function, imports *typetext.Imports) *Facts {
	fs := &Facts{
		Function:   ir.Function{Source: fn, Node: fn.Decl, Signature: fn.Signature(), Declared: fn.Names},
		Body:       fn.Decl.Body,
		Literals:   newLiterals(),
		Info:       fn.Package.Info,
		Imports:    imports,
		Sizes:      quick(sizesOf(source.BuildConstraint(fn.File))),
		mentions:   map[string]bool{},
		Points:     map[*ast.CallExpr]*source.Suspension{},
		suspending: map[ast.Node]bool{},
		Decomposed: map[ast.Stmt]bool{},
		Kept:       map[ast.Expr]*types.Named{},
		usage:      map[types.Object]*ir.Usage{},
		Deferred:   map[*ast.DeferStmt]*source.Suspension{},
	}
	if fn.Stream != nil {
		fs.Body, fs.Signature = fn.Stream.Literal.Body, streamSignature(fs.Signature)
	}
	return fs
}

// refuse adds a finding.
func (fs *Facts) refuse(d source.Diagnostic) {
	r := fs.annotatedFacts()
	r.Findings = append(r.Findings, d)
}
