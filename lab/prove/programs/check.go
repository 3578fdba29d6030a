package programs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

const (
	jobPath   = "github.com/movenext/movenext/job"
	tracePath = "example.com/proof/trace"
)

// declarations are the packages that programs import, reduced to what programs use; the real ones
// are in the module where programs are built.
var declarations = map[string]string{
	"context": `package context

type Context interface{ Err() error }
func Background() Context { return nil }`,
	"iter": `package iter

type Seq[V any] func(func(V) bool)
type Seq2[K, V any] func(func(K, V) bool)`,
	"fmt": `package fmt

func Sprint(...any) string { return "" }
func Sprintf(string, ...any) string { return "" }`,
	"reflect": `package reflect

type Kind uint
const (
	Chan Kind = iota
	Func
	Pointer
)
type Value struct{}
func (Value) Kind() Kind { return 0 }
func ValueOf(any) Value  { return Value{} }`,
	jobPath: `package job

import "context"

type Option struct{}

func Run[T any](ctx context.Context, f func(context.Context) (T, error), o ...Option) *Job[T] { return nil }
func Spawn[T any](s *Scope, f func(context.Context) (T, error), o ...Option) *Job[T] { return nil }
func InScope(ctx context.Context, f func(context.Context, *Scope) error, o ...Option) error { return nil }

type Scope struct{}

type Job[T any] struct{ v T }

func (*Job[T]) Await() (v T, err error) { return }`,
	tracePath: `package trace

import "` + jobPath + `"

type T struct{}

func (*T) Log(string, ...any)                          {}
func (*T) Burn()                                       {}
func Note[V any](t *T, v V) V                          { return v }
func Get[V any](t *T, v V) V                           { return v }
func Try[V any](t *T, v V, err error) (V, error)       { return v, err }
func Later[V any](t *T, v V) *job.Job[V]               { return nil }
func LaterErr[V any](t *T, v V, err error) *job.Job[V] { return nil }
func Step(t *T, n int) int                             { return n }
func Pause(t *T)                                       {}
func Err(n int) error                                  { return nil }`,
}

// Check parses and type-checks the source of a program. It does not access the disk and is safe
// for concurrent use. It returns all errors.
func Check(source string) []types.Error {
	return CheckBeside(Preamble+twins, source)
}

// CheckBeside is like [Check] for a program next to another preamble, which imports only what
// programs import.
func CheckBeside(preamble, source string) []types.Error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", source, parser.SkipObjectResolution)
	if err != nil {
		return []types.Error{{Fset: fset, Msg: "syntax: " + err.Error()}}
	}
	return typesBeside(preamble, fset, file, nil)
}

// Types type-checks a program, fills info, which may be nil, and returns all errors.
func Types(fset *token.FileSet, file *ast.File, info *types.Info) []types.Error {
	return typesBeside(Preamble+twins, fset, file, info)
}

func typesBeside(preamble string, fset *token.FileSet, file *ast.File, info *types.Info) []types.Error {
	var all []types.Error
	config := &types.Config{
		Importer: imports{},
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && !strings.HasPrefix(e.Msg, "\t") {
				all = append(all, e)
			}
		},
	}
	files := []*ast.File{file}
	if beside, err := parser.ParseFile(fset, "preamble.go", preamble, parser.SkipObjectResolution); err == nil {
		files = append(files, beside)
	}
	_, _ = config.Check("batch", fset, files, info) // the handler has its errors
	return all
}

// twins are the twins that the preamble mentions before they are generated.
const twins = `
func (n GN) WaitAsync(t *trace.T, k int) *job.Job[int] { return nil }
func (s GS) WaitAsync(t *trace.T, n int) *job.Job[int] { return nil }
`

// imports resolves imports to the declarations.
type imports struct{}

var imported = struct {
	sync.Mutex
	byPath map[string]*types.Package
}{byPath: map[string]*types.Package{}}

func (imports) Import(path string) (*types.Package, error) {
	imported.Lock()
	defer imported.Unlock()
	return importLocked(path)
}

type lockedImports struct{}

func (lockedImports) Import(path string) (*types.Package, error) { return importLocked(path) }

func importLocked(path string) (*types.Package, error) {
	if pkg := imported.byPath[path]; pkg != nil {
		return pkg, nil
	}
	source, ok := declarations[path]
	if !ok {
		return nil, fmt.Errorf("programs do not import %s", path)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg, err := (&types.Config{Importer: lockedImports{}}).Check(path, fset, []*ast.File{file}, nil)
	imported.byPath[path] = pkg
	return pkg, err
}
