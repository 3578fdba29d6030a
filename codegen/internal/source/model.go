package source

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Module is the module of the runtime that generated code imports.
const Module = "github.com/movenext/movenext"

// The runtime packages that generated code names. The generator never imports them: it has to
// build and run with any version of them, and the compilation of the generated code determines
// which version fits.
const (
	JobPath          = Module + "/job"
	RootPath         = JobPath + "/root"
	AwaiterPath      = Module + "/awaiter"
	StatemachinePath = Module + "/statemachine"
	GentypesPath     = StatemachinePath + "/gentypes"
	RecordPath       = StatemachinePath + "/record"
	DurablePath      = Module + "/durable"
	DurableGenPath   = DurablePath + "/gen"
)

// StubPaths are the packages that the declarations of twins name, and so the stubs of them.
var StubPaths = []string{JobPath, StatemachinePath, GentypesPath}

// Package is one type-checked package with annotated functions. The package of a folder, the same
// package with its _test.go files, and its external test package are three Packages.
type Package struct {
	// Path is the import path, Name the name in the package clause. An external
	// test package's path ends in "_test".
	Path, Name string

	// Dir is the folder of the package's files.
	Dir string

	Fset  *token.FileSet
	Types *types.Package
	Info  *types.Info

	// WithoutC means that names from C have no type (see cgo.go).
	WithoutC bool

	// Language is the language version of the module ("go1.26"), or empty. A file may set its
	// own: see Info.FileVersions.
	Language string

	// Files are the files whose functions are generated from this Package: all files of the
	// plain package, but only the _test.go files of a package with its tests, whose other
	// files are generated from the plain package.
	Files []*File

	// Twins decides which calls suspend. All packages of a run share one Twins.
	Twins *Twins

	// Names contains every name declared in package scope, in any file, build configuration
	// or test: a generated file must neither declare such a name nor import a package
	// under it.
	Names map[string]bool

	// Nearer contains names that have another meaning in a part of the package, so that no
	// generated declaration should use them: those of imports and of type parameters of
	// annotated functions.
	Nearer map[string]bool
}

// Position returns the position of pos in the file that the user edits, for findings: as those of
// the compiler, it follows //line.
func (p *Package) Position(pos token.Pos) token.Position { return p.Fset.Position(pos) }

// Read returns the position of pos in the file that was read, without regard to //line: generated
// files are next to it.
func (p *Package) Read(pos token.Pos) token.Position { return p.Fset.PositionFor(pos, false) }

// File is one source file.
type File struct {
	Path   string // absolute
	Syntax *ast.File
	Source []byte

	Ragged bool // not formatted by go/format, which would move statements to other lines

	// Functions are the asynchronous functions in the order of the file, Others the annotated
	// functions of another kind.
	Functions, Others []*Function

	// Types are the annotated types.
	Types []*AnnotatedType
}

// DeclarationAt returns the declaration of the function whose name is at pos, or nil if there is
// none.
func (f *File) DeclarationAt(pos token.Pos) *ast.FuncDecl {
	decls := f.Syntax.Decls
	i := sort.Search(len(decls), func(i int) bool { return decls[i].End() > pos })
	if i == len(decls) {
		return nil
	}
	decl, ok := decls[i].(*ast.FuncDecl)
	if !ok || decl.Name.Pos() != pos {
		return nil
	}
	return decl
}

// Function is one annotated function or method.
type Function struct {
	Package *Package
	File    *File
	Decl    *ast.FuncDecl
	Object  *types.Func
	Names   Names
	Stream  *Stream // nil if it is none

	RootOnly bool // no machine enters it, so it needs no entry
}

// Signature returns the signature of the function itself.
func (f *Function) Signature() *types.Signature { return f.Object.Signature() }

// Names are the identifiers declared for one function. The rule of twins fixes Async; the others
// avoid names that are taken.
type Names struct {
	Async   string // FAsync: function, or method of the same receiver
	Enter   string // FEnter: likewise
	Nested  string // fNested: likewise; or empty, see load/mentions.go
	Frame   string // FFrame: type; for a method RecvFFrame
	Locals  string // FLocals: type; for a method RecvFLocals
	Args    string // FArgs: type; for a method RecvFArgs
	Machine string // FMachine: type; for a method RecvFMachine
	Stem    string // f: the prefix of the machine's other names; for a method recvF
}

// Kind is how a call suspends.
type Kind int

const (
	// KindAwaitJob is j.Await() on a *job.Job[T].
	KindAwaitJob Kind = iota + 1
	// KindAwait is awaiter.Await(a).
	KindAwait
	// KindEnter is a call of a function that has both a twin and an entry for machines.
	KindEnter
	// KindTwin is a call of a function that has a twin but no entry: written by hand,
	// declared by an interface, or generated by an older version.
	KindTwin
	// KindYield is job.Yield().
	KindYield
	// KindSwitchTo is job.SwitchTo(ctx, s).
	KindSwitchTo
	// KindSleep is job.Sleep(ctx, d), whose entry is in another package.
	KindSleep
	// KindEmit is the call of yield in a stream's literal.
	KindEmit
	// KindLoop is a range over a stream or a function, which requests the next value or
	// stops.
	KindLoop
	// KindLiteral is a call of a function literal that becomes a machine.
	KindLiteral
	// KindValue is a call of a variable of the function that holds suspending
	// functions.
	KindValue
	// KindKept is a call of a value of a marked function type.
	KindKept
)

// KindDeferred is the epilogue of a function whose deferred calls suspend.
const KindDeferred Kind = -1

// Enters reports whether the callee is a machine that is entered, rather than a job that is
// awaited.
func (k Kind) Enters() bool {
	return k == KindEnter || k == KindSleep || k == KindLiteral || k == KindValue || k == KindKept
}

// Suspension describes a call that suspends.
type Suspension struct {
	Kind Kind

	// Callee is the called function as declared (the generic origin of an instance).
	Callee *types.Func

	// Method is the selection of the callee if it is a method; nil for functions.
	// Its Kind is MethodVal for x.F(…), MethodExpr for T.F(x, …); its Index leads
	// through embedded fields.
	Method *types.Selection

	// TypeArgs are the type arguments of a call of a generic function, explicit or inferred.
	TypeArgs *types.TypeList

	// Twin is FAsync (KindEnter, KindSleep, KindTwin), as declared.
	Twin *types.Func

	// Enter is FEnter (KindEnter), as declared. It takes a *statemachine.Run, followed by the
	// receiver and the arguments of the call. For KindKept it is TEnter, of the type.
	Enter *types.Func

	// Companions are the parameters of the callee, as declared, that have companions in Enter.
	Companions []Companion

	// Frame is the type of the suspended callee, instantiated with the call's type arguments
	// (KindEnter): a pointer to FFrame.
	Frame types.Type

	// Result is the T of the call's *job.Job[T] or Awaiter[T], instantiated with the call's
	// type arguments; job.Void for a twin that has no result or only an error.
	Result types.Type
}

// DocName returns the function's name in a doc link: Repo.Fetch, fetch.
func (f *Function) DocName() string {
	if named := receiverNamed(f.Object); named != nil {
		return named.Obj().Name() + "." + f.Object.Name()
	}
	return f.Object.Name()
}

// RuntimeName returns the function's name as the Go runtime prints it in stacks.
func (f *Function) RuntimeName() string {
	pkg := f.Package.Path
	if f.Package.Name == "main" {
		pkg = "main"
	}
	name := f.Object.Name()
	if named := receiverNamed(f.Object); named != nil {
		recv := named.Obj().Name()
		if IsPointer(f.Signature().Recv()) {
			recv = "(*" + recv + ")"
		}
		name = recv + "." + name
	}
	return pkg + "." + name
}

// InStacks returns the file and line of pos as -trimpath leaves them in stacks: generated files
// must not depend on the location of the module.
func (f *Function) InStacks(pos token.Pos) (file string, line int) {
	named, line := f.Package.shown(f.File, pos)
	if named == "" {
		named = f.Package.InStacks(f.File.Path)
	}
	return named, line
}

// InStacks returns the name of a file of the package as -trimpath leaves it in stacks.
func (p *Package) InStacks(file string) string {
	return path.Join(strings.TrimSuffix(p.Path, "_test"), filepath.Base(file))
}

// Shown returns the line that the compiler gives the code of a line of the file. It follows //line
// directives: if one applies, named is the file that it names, in its words.
func (p *Package) Shown(f *File, line int) (named string, number int) {
	lines := p.Fset.File(f.Syntax.Pos())
	if line > lines.LineCount() {
		return "", line
	}
	start := lines.LineStart(line)
	text, _, _ := bytes.Cut(f.Source[lines.Offset(start):], []byte("\n"))
	return p.shown(f, start+token.Pos(len(beforeCode.Find(text))))
}

// shown is [Package.Shown] for a position. Package token has made relative names absolute, but
// the compiler has not.
func (p *Package) shown(f *File, pos token.Pos) (named string, line int) {
	at, own := p.Position(pos), p.Read(pos)
	if at.Filename == own.Filename && at.Line == own.Line {
		return "", own.Line
	}
	rel, err := filepath.Rel(filepath.Dir(f.Path), at.Filename)
	if err != nil {
		return at.Filename, at.Line
	}
	for _, name := range []string{at.Filename, "./" + filepath.ToSlash(rel)} {
		if bytes.Contains(f.Source, []byte("line "+name+":")) {
			return name, at.Line
		}
	}
	return filepath.ToSlash(rel), at.Line
}

// beforeCode matches what precedes the code of a line.
var beforeCode = regexp.MustCompile(`^(?:\s|/\*.*?\*/)*`)

// ReceiverName returns the name of the receiver's base type, or "" for functions and for receivers
// that do not type-check.
func ReceiverName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) != 1 {
		return ""
	}
	if id := BaseIdent(decl.Recv.List[0].Type); id != nil {
		return id.Name
	}
	return ""
}

// ReceiverParams returns the identifiers K and V of a receiver Map[K, V].
func ReceiverParams(decl *ast.FuncDecl) []*ast.Ident {
	var params []*ast.Ident
	add := func(args ...ast.Expr) {
		for _, arg := range args {
			if id, ok := arg.(*ast.Ident); ok {
				params = append(params, id)
			}
		}
	}
	if decl.Recv == nil || len(decl.Recv.List) != 1 {
		return nil
	}
	ast.Inspect(decl.Recv.List[0].Type, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			add(n.Index)
			return false
		case *ast.IndexListExpr:
			add(n.Indices...)
			return false
		}
		return true
	})
	return params
}

// BaseIdent finds T in T, *T, (T), pkg.T, T[A] and combinations of these.
func BaseIdent(expr ast.Expr) *ast.Ident {
	for {
		switch e := expr.(type) {
		case *ast.Ident:
			return e
		case *ast.ParenExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.SelectorExpr:
			return e.Sel
		default:
			return nil
		}
	}
}
