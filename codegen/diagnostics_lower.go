package codegen

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The refusals of the lowering. Each message says what, why, and what to write instead.

// extent is the part of the source that a finding is about.
type extent struct{ from, to token.Position }

// categoryUnsupported: right Go, but not in an annotated function.
const categoryUnsupported = "unsupported"

// categoryInitialiser: right Go that may block before main begins.
const categoryInitialiser = "initialiser"

func unsupported(at extent, what, why, do string) source.Diagnostic {
	return source.Diagnostic{Pos: at.from, End: at.to, Category: categoryUnsupported, What: what, Why: why, Do: do}
}

func unknownSyntax(at extent, n ast.Node) source.Diagnostic {
	return unsupported(at, fmt.Sprintf("syntax %T is not supported in an annotated function", n),
		"this version of movenext does not know it", "move it to a function of its own")
}

func ownRecover(at extent) source.Diagnostic {
	return unsupported(at, "an annotated function cannot call recover itself",
		"recover works only in a function that was deferred directly, which a machine never is",
		"call recover in a deferred function literal")
}

func lockedThread(at extent) source.Diagnostic {
	return unsupported(at, "an annotated function cannot call runtime.LockOSThread",
		"after a suspension the function continues on another thread",
		"use a scheduler of schedulers/dedicated, or move the locked part to a function that is not annotated")
}

func unorderedReceiver(at extent, name string) source.Diagnostic {
	return unsupported(at, "the receiver "+name+" is assigned by a function literal while the arguments are evaluated",
		"whether the old or the new value is used depends on what the compiler knows of it",
		"copy "+name+" to a variable that no function literal assigns, and call the method of that")
}

func unorderedOperand(at extent, name string) source.Diagnostic {
	return unsupported(at, "a function literal assigns "+name+", and a function value is called in the same statement",
		"whether the old or the new value is used here depends on where the compiler keeps "+name,
		"copy "+name+" to another variable first, or call the function in a statement of its own")
}

func unorderedGeneric(at extent, typ string) source.Diagnostic {
	return unsupported(at, "this could be changed while the statement suspends, and is of type "+typ+" here",
		"whether the old or the new value is used depends on the type argument",
		"copy it to a variable first")
}

func fragileInLiteral(at extent) source.Diagnostic {
	return unsupported(at, "the map or the key is shared with this function literal, and what is appended calls a function",
		"whether they are read before or after the call depends on where the compiler keeps them",
		"assign what is appended to a variable first")
}

func escapingYield(at extent, name string) source.Diagnostic {
	return unsupported(at, name+" can only be called here, by the stream's function itself",
		"the machine stops at each call of it, so it is no function that could be passed on, kept or deferred",
		"range over the other sequence and call "+name+" for each of its values")
}

func usesCgo(at extent) source.Diagnostic {
	return unsupported(at, "an annotated function cannot use package C",
		"generated code would have to repeat the comment above import \"C\", and C would compile that twice",
		"call C in a function that is not annotated, with types of Go in its signature")
}

func unnameableType(at extent, err error) source.Diagnostic {
	return unsupported(at, "a value of this type has to be kept in the frame",
		err.Error(), "copy what is needed of it before the suspension, keep it in an interface, or give the type a name that this package can write")
}

func localGenericType(at extent, name string) source.Diagnostic {
	return unsupported(at, "the generic type "+name+" cannot be declared here",
		"the frame may have to name the type, so it is declared outside of the function with the type parameters of both, and two of them have one name",
		"give its type parameters other names")
}

func hiddenName(at extent, name string) source.Diagnostic {
	return unsupported(at, "the predeclared name "+name+" means something else here",
		"the generated code needs it", "rename what is declared as "+name)
}

func heldUnsafe(at extent, name string) source.Diagnostic {
	return unsupported(at, name+" is an unsafe.Pointer and is needed after a suspension",
		"it may point to a variable of this function in a way that the compiler does not follow, and the variable may be on a stack that is gone by then",
		"convert it to a typed pointer before, or use it up before the function suspends")
}

func passedUnsafe(at extent) Diagnostic {
	return unsupported(at, "an unsafe.Pointer that another call or a number gives is passed to a call that suspends",
		"it may point to a variable of this function in a way that the compiler does not follow, and the variable may be on a stack that is gone by then",
		"pass the address itself, or a typed pointer")
}

// blockingInitialiser is a warning: it calls the plain function, which is correct Go
// there.
func blockingInitialiser(at extent, name, callee string) source.Diagnostic {
	return source.Diagnostic{
		Pos: at.from, End: at.to, Category: categoryInitialiser,
		What: "the initialiser of " + name + " calls " + callee + ", which waits",
		Why:  "package initialisation is plain Go, on one goroutine: it blocks there, and what it waits for may need a package that is not initialised yet",
		Do:   "initialise " + name + " in a function that main calls",
	}
}
