package analyse

import (
	"fmt"
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/source"
)

// UnknownSyntax returns the finding that a node is of a kind that the generator does not know.
func UnknownSyntax(pos source.Extent, n ast.Node) source.Diagnostic {
	return source.Unsupported(pos, fmt.Sprintf("syntax %T is not supported in an annotated function", n),
		"this version of movenext does not know it", "move it to a function that is not annotated")
}

func ownRecover(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "an annotated function cannot call recover itself",
		"recover works only in a function that was deferred directly, which a machine never is",
		"call recover in a deferred function literal")
}

func lockedThread(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "an annotated function cannot call runtime.LockOSThread",
		"after a suspension the function continues on another thread",
		"use a scheduler of schedulers/dedicated, or move the locked part to a function that is not annotated")
}

func unorderedReceiver(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, "the receiver "+name+" is assigned by a function literal while the arguments are evaluated",
		"whether the old or the new value is used depends on what the compiler knows about it",
		"copy "+name+" to a variable that no function literal assigns, and call the method on that variable")
}

func unorderedOperand(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, "a function literal assigns "+name+", and a function value is called in the same statement",
		"whether the old or the new value is used here depends on where the compiler keeps "+name,
		"copy "+name+" to another variable first, or call the function in a separate statement")
}

func orderHazardInLiteral(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "the map or the key is shared with this function literal, and what is appended calls a function",
		"whether they are read before or after the call depends on where the compiler keeps them",
		"assign what is appended to a variable first")
}

func escapingYield(pos source.Extent, name string) source.Diagnostic {
	return source.Unsupported(pos, name+" can only be called here, by the stream's function itself",
		"the machine stops at each call of it, so "+name+" cannot be passed, stored or deferred",
		"range over the other sequence and call "+name+" for each of its values")
}

func usesCgo(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "an annotated function cannot use package C",
		"generated code would have to repeat the comment above import \"C\", and C would compile that twice",
		"call C in a function that is not annotated, with Go types in its signature")
}

func passedUnsafe(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "an unsafe.Pointer from another call or from a number is passed to a call that suspends",
		"it may point to a variable of this function in a way that the compiler does not follow, and the variable may be on a stack that is gone by then",
		"pass the address itself, or a typed pointer")
}

func passedAddress(pos source.Extent) source.Diagnostic {
	return source.Unsupported(pos, "the address of a variable is passed as a number to a call that suspends",
		"the compiler does not follow a number, so the variable may be on a stack that is gone by then",
		"pass the pointer, and convert it in the system call's argument list")
}
