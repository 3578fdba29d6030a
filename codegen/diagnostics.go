package codegen

import (
	"fmt"
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The findings of the driver. Each message says what is wrong, why, and what to write instead.

// categoryFrame is for correct Go whose frame is larger than the user wants.
const categoryFrame = "frame"

// categoryInitialiser is for correct Go that may block before main begins.
const categoryInitialiser = "initialiser"

func heldUnsafe(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, name+" is an unsafe.Pointer and is needed after a suspension",
		"it may point to a variable of this function in a way that the compiler does not follow, and the variable may be on a stack that is gone by then",
		"convert it to a typed pointer first, or use it only before the suspension")
}

// frameTooLarge names the fields by size, the largest first.
func frameTooLarge(pos token.Position, m *Machine, budget int64) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos, Category: categoryFrame,
		What: fmt.Sprintf("the frame of %s has %d bytes, %d more than its annotation allows", m.Name, m.Bytes, m.Bytes-budget),
		Why:  "it keeps " + bySize(m.Fields),
		Do:   "use the largest only between suspensions or behind a pointer, or raise the budget",
	}
}

func frameOfAnySize(pos token.Position, name string) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos, Category: categoryFrame,
		What: "the frame of " + name + " has no size that a budget could allow",
		Why:  "it depends on type parameters",
		Do:   "remove frame= from the annotation",
	}
}

// blockingInitialiser returns a warning, since the initialiser calls the plain function,
// which is correct Go there.
func blockingInitialiser(pos source.Extent, name, callee string) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos.From, End: pos.To, Category: categoryInitialiser,
		What: "the initialiser of " + name + " calls " + callee + ", which waits",
		Why:  "package initialisation is plain Go, on one goroutine: it blocks there, and what it waits for may need a package that is not initialised yet",
		Do:   "initialise " + name + " in a function that main calls",
	}
}

// halfPair returns a warning, since a call that blocks is correct.
func halfPair(pos source.Extent, call, async, why string) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos.From, End: pos.To, Category: source.CategoryTwin,
		What: call + " blocks here although there is a function " + async,
		Why:  "they are not a pair of twins: " + why,
		Do:   "declare both in one place, with the same parameters, and the job of the results; or rename one",
	}
}

// markedElsewhere returns a warning, since each build by itself is correct.
func markedElsewhere(pos source.Extent, call, caller string, with, without string) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos.From, End: pos.To, Category: source.CategoryTwin,
		What: fmt.Sprintf("%s is marked %s in %s and not in %s", call, source.DirectiveAsync, with, without),
		Why:  "the generated form of " + caller + " differs between these builds, so what one writes is stale in the other",
		Do:   "mark both, even if one never waits, or neither",
	}
}

// The findings about files, and defects of the generator.

func cannotWrite(path string, err error) source.Diagnostic {
	return source.Diagnostic{
		Pos: token.Position{Filename: path}, Category: source.CategoryWrite,
		What: "cannot write: " + err.Error(),
		Why:  "the files of a folder are replaced all together or not at all, so the old ones are still there",
		Do:   "make the folder writable, or free some space, and run again",
	}
}

func editedByHand(path string) source.Diagnostic {
	return source.Diagnostic{
		Pos: token.Position{Filename: path}, Category: source.CategoryWrite,
		What: "this generated file was edited by hand, and is not what would be generated now",
		Why:  "generating it again would lose the edits",
		Do:   "make the change in the source and remove this file, or run with -overwrite; to keep it as your own, remove its first line and the annotation",
	}
}

func damagedFile(path, why string) source.Diagnostic {
	return source.Diagnostic{
		Pos: token.Position{Filename: path}, Category: source.CategoryWrite,
		What: "this generated file is damaged: " + why,
		Why:  "another program wrote it, or was stopped while writing it",
		Do:   "remove it and run again, or run with -overwrite: it is generated from the source as it is now",
	}
}

// loweringPanicked and the functions below it report defects of the generator itself. Their
// findings point at the source, and nothing is written.
func loweringPanicked(fn *source.Function, v any) source.Diagnostic {
	return internalError(fn.Package.Position(fn.Decl.Name.Pos()), fmt.Sprintf("lowering %s panicked: %v", fn.Decl.Name.Name, v))
}

func invalidOutput(source, msg string) source.Diagnostic {
	return internalError(token.Position{Filename: source}, "the generated file would not compile: "+msg)
}

func invalidMachine(fn *source.Function, msg string) source.Diagnostic {
	return internalError(fn.Package.Position(fn.Decl.Name.Pos()), "the machine of "+fn.Decl.Name.Name+" would not compile: "+msg)
}

func internalError(pos token.Position, what string) source.Diagnostic {
	return source.Diagnostic{
		Pos: pos, Category: source.CategoryInternal, What: what,
		Why: "this is a defect of movenext",
		Do:  "report it with the source, and remove this annotation until it is fixed",
	}
}
