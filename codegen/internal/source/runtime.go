package source

import (
	"fmt"
	"go/types"
)

// What the generator knows of the runtime by name: packages, awaiting primitives, and types. No
// other file of the generator names any of it to recognise a call. Everything else follows from
// types (roots.go, companions.go) and from names next to each other (F, FAsync, FEnter). So the
// libraries of strangers can do what packages job, coord and parallel do.

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

// The names of methods and functions that are known before types are, or that generated code
// calls.
const (
	// AwaitName names job.Job's Await and awaiter.Await.
	AwaitName = "Await"
	// GetAwaiterName names the method of what awaiter.Await takes.
	GetAwaiterName = "GetAwaiter"
	// LaterName names the function beside job.Run whose job starts when it is awaited.
	LaterName = "New"
)

// intrinsic returns the kind of fn if it is one of the runtime's own suspending functions.
func intrinsic(fn *types.Func) Kind {
	if fn.Pkg() == nil {
		return 0 // the method of type error
	}
	recv := receiverNamed(fn)
	switch path := fn.Pkg().Path(); {
	case path == JobPath && recv != nil && recv.Obj().Name() == "Job" && fn.Name() == "Await":
		return KindAwaitJob
	case recv != nil:
		return 0
	case path == AwaiterPath && fn.Name() == "Await":
		return KindAwait
	case path == JobPath && fn.Name() == "Yield":
		return KindYield
	case path == JobPath && fn.Name() == "SwitchTo":
		return KindSwitchTo
	}
	return 0
}

// isSleep reports whether fn is job.Sleep, whose entry is in another package.
func isSleep(fn *types.Func) bool { return IsObject(fn, JobPath, "Sleep") }

// IsRun reports whether fn is job.Run. A job of it that is awaited where it is started need not be
// queued.
func IsRun(fn *types.Func) bool { return IsObject(fn, JobPath, "Run") }

// IsStreamRange reports whether fn is the method of a *job.Stream that a range is over.
func IsStreamRange(fn *types.Func) bool {
	return fn.Name() == "All" && StreamArgument(fn.Signature().Recv().Type()) != nil
}

// marksRoot reports whether an alias is one of package job/root, which mark parameters.
func marksRoot(alias *types.TypeName) bool {
	switch alias.Name() {
	case "Func", "FuncOf", "Action", "ActionOf":
		return alias.Pkg() != nil && alias.Pkg().Path() == RootPath
	}
	return false
}

// jobArgument returns T if typ is *job.Job[T], or nil.
func jobArgument(typ types.Type) types.Type {
	return argumentOf(typ, "Job")
}

// StreamArgument returns T if typ is *job.Stream[T], or nil.
func StreamArgument(typ types.Type) types.Type { return argumentOf(typ, "Stream") }

// argumentOf returns the type argument if typ points to the type of that name in package job.
func argumentOf(typ types.Type, name string) types.Type {
	named := pointee(typ)
	if named == nil || !IsObject(named.Obj(), JobPath, name) || named.TypeArgs().Len() != 1 {
		return nil
	}
	return named.TypeArgs().At(0)
}

// pointee returns the named type that typ points to, or nil.
func pointee(typ types.Type) *types.Named {
	ptr, ok := types.Unalias(typ).(*types.Pointer)
	if !ok {
		return nil
	}
	named, _ := types.Unalias(ptr.Elem()).(*types.Named)
	return named
}

func isRun(typ types.Type) bool {
	named := pointee(typ)
	return named != nil && IsObject(named.Obj(), StatemachinePath, "Run")
}

// mostJobTuple is the size of the largest tuple of package job.
const mostJobTuple = 3

// TuplePath returns the package of the tuple of n results: package job for the sizes that readers
// are likely to see, and that of generated code for the others.
func TuplePath(n int) string {
	if n > mostJobTuple {
		return GentypesPath
	}
	return JobPath
}

func isTuple(typ *types.TypeName, n int) bool {
	return IsObject(typ, TuplePath(n), fmt.Sprintf("Tuple%d", n))
}
