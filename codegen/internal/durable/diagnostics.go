package durable

import (
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The messages about durable functions, one constructor for each. The table of docs/refusals.md
// does not have them: it is about asynchronous functions, and durable ones are another language.

func missingContext(pos source.Extent, fn string) source.Diagnostic {
	return refusal(pos, "the first parameter of "+fn+" is not a context.Context",
		"the engine passes it in", "make ctx context.Context the first parameter")
}

func assignedContext(pos source.Extent) source.Diagnostic {
	return refusal(pos, "the context is assigned", "the engine passes it in again at each point",
		"give the derived context another name, and use it before the next point")
}

func assignedReceiver(pos source.Extent) source.Diagnostic {
	return refusal(pos, "the receiver is assigned", "the engine passes it in again at each point",
		"use another variable")
}

// Points and their names.

func resultNotVariable(pos source.Extent, callee string) source.Diagnostic {
	return refusal(pos, "a result of "+callee+" is assigned to something other than a variable",
		"its operands would have to be saved", "assign it to a variable first")
}

func foreignContext(pos source.Extent, callee, ctx string) source.Diagnostic {
	return refusal(pos, callee+" is not given the function's own context",
		"the engine makes the context of each step, and a derived one cannot be saved",
		"pass "+ctx+", and derive contexts inside the step; a step may get durable.WithRetry("+ctx+", …)")
}

func pointInExpression(pos source.Extent, callee string) source.Diagnostic {
	return refusal(pos, "the call of "+callee+" is part of an expression",
		"a durable function is saved between statements", "assign its results to variables first")
}

func pointInLiteral(pos source.Extent, callee string) source.Diagnostic {
	return refusal(pos, callee+" is called in a function literal",
		"a literal is not saved", "call it in the function itself")
}

func hiddenPoint(pos source.Extent, callee, point string) source.Diagnostic {
	return refusal(pos, "the call of "+callee+" reaches "+point,
		"there it is a plain call, which is not saved, and which a crash repeats with another key or none",
		"call it in the durable function itself, or make "+callee+" a step")
}

func stepAsValue(pos source.Extent, step string) source.Diagnostic {
	return refusal(pos, "the step "+step+" is used as a value",
		"what calls it would make a plain call, which is not saved, and which a crash repeats with another key or none",
		"call it in the durable function itself")
}

func outsideStep(pos source.Extent, name string) source.Diagnostic {
	return refusal(pos, "durable."+name+" is called outside of a step",
		"only a step has what it is about", "call it in a step")
}

func stepInStatement(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a step in this kind of statement", "the generator does not split it where a step is saved",
		"call the step in an if, for or switch statement, or in a separate statement")
}

func repeatedPointName(pos source.Extent, name string) source.Diagnostic {
	return refusal(pos, "there are several points called "+name,
		"an instance is saved with the name of its point, so each point needs its own name",
		"name one of them with "+source.DirectivePoint+" NAME above its statement")
}

func unusedPointName(pos source.Extent, name string) source.Diagnostic {
	return refusal(pos, source.DirectivePoint+" "+name+" is above no point",
		"it names the step, Receive or Sleep on the next line", "move or remove it")
}

func stepWithoutError(pos source.Extent, step string) source.Diagnostic {
	return refusal(pos, step+" does not return an error as its last result",
		"the engine reports a panic, or that the function was canceled before the step, as its error", "make error its last result")
}

func stepSignature(pos source.Extent, step string) source.Diagnostic {
	return refusal(pos, step+" is variadic, generic, or called with the results of another call",
		"its arguments are saved one by one", "pass a slice, or assign the results first")
}

func calleeFromVariable(pos source.Extent, variable string) source.Diagnostic {
	return refusal(pos, "the callee depends on "+variable,
		"the step is called after loading, when only the receiver of the durable function is known",
		"reach it from the receiver")
}

// Compensations.

func otherDeferredCall(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a deferred call other than durable.Compensate",
		"a deferred call is saved as the name of a step and its arguments",
		"defer durable.Compensate, or do it in a step")
}

func compensateNotDeferred(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a call of durable.Compensate that is not deferred",
		"it undoes an earlier step when the function has failed", "defer it, or call the step")
}

func compensateForeignError(pos source.Extent) source.Diagnostic {
	return refusal(pos, "Compensate is not given the address of the function's own error",
		"the engine looks there whether the function has failed", "name the last result err, and pass &err")
}

func compensateNotStep(pos source.Extent) source.Diagnostic {
	return refusal(pos, "Compensate is given something other than a step",
		"what is called later is saved by its name", "pass a function with "+source.DirectiveStep)
}

func compensateArguments(pos source.Extent, step string) source.Diagnostic {
	return refusal(pos, "the arguments do not match the parameters of "+step,
		"Compensate calls it with the context and these arguments", "pass one argument for each parameter")
}

func compensateArgumentType(pos source.Extent, arg types.Type, step string, param types.Type) source.Diagnostic {
	return refusal(pos, "a "+arg.String()+" cannot be passed to "+step,
		"it takes a "+param.String(), "convert it")
}

func ambiguousCompensation(pos source.Extent, step string) source.Diagnostic {
	return refusal(pos, "there are deferred calls of two functions called "+step,
		"a deferred call is saved as the name of its step", "rename one of the functions")
}

// Statements and expressions.

func localDeclaration(pos source.Extent, tok token.Token) source.Diagnostic {
	return refusal(pos, "a "+tok.String()+" declaration in the body of a durable function",
		"the frame and its layout need the name outside", "declare it at package level")
}

func unsupportedBranch(pos source.Extent, tok token.Token) source.Diagnostic {
	return refusal(pos, tok.String()+" in a statement with a step", "the generator does not split it where a step is saved",
		"use if and for")
}

func rangeOverUnequalKeys(pos source.Extent, typ string) source.Diagnostic {
	return refusal(pos, "a range over a "+typ+" with a step in its body",
		"a key that is not equal to itself, like NaN, would not be found again",
		"range over a slice of its keys or values")
}

func rangeOverOther(pos source.Extent, typ string) source.Diagnostic {
	return refusal(pos, "a range over a "+typ+" with a step in its body",
		"the generator splits only ranges over slices, arrays, maps and numbers where a step is saved",
		"range over a slice of its keys or values")
}

func rangeIntoOther(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a range with a step in its body that assigns to something other than variables",
		"the generator does not split it where a step is saved", "declare variables with :=")
}

func capturedLoopVariable(pos source.Extent, name string) source.Diagnostic {
	return refusal(pos, "a function literal captures the loop variable "+name,
		"the frame has one for all iterations",
		"assign it to a variable inside the loop's body, in a block of its own")
}

func goStatement(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a go statement in a durable function",
		"a goroutine is lost with the process", "move it into a step")
}

func channelOperation(pos source.Extent) source.Diagnostic {
	return refusal(pos, "a channel operation in a durable function",
		"a channel is lost with the process", "move it into a step, or wait for a signal")
}

func ownRecover(pos source.Extent) source.Diagnostic {
	return refusal(pos, "recover in a durable function",
		"a panic between two points leaves the instance at the last checkpoint", "recover in a step")
}

func suspendingCall(pos source.Extent, callee string) source.Diagnostic {
	return refusal(pos, "a call of "+callee+", which suspends, in a durable function",
		"a job is lost with the process", "move it into a step")
}

func durableCall(pos source.Extent, callee string) source.Diagnostic {
	return refusal(pos, "a call of "+callee+", which is itself durable",
		"a call of another instance is a point of its own", "call it with durable.All or durable.Any and durable.Call, or start it in a step")
}

// Values that cannot be saved.

func unnameableType(pos source.Extent, err error) source.Diagnostic {
	return refusal(pos, "a type that cannot be named outside the function: "+err.Error(),
		"the frame needs a field of that type", "declare the type at package level")
}

func repeatedVariableName(pos source.Extent, name, callee string) source.Diagnostic {
	return refusal(pos, "two variables "+name+" are needed after the call of "+callee,
		"they are saved by name", "rename one of them")
}

func unsavableValue(pos source.Extent, value string, o *obstacle) source.Diagnostic {
	why := "it " + o.why
	if o.path != "" {
		why = "its part " + o.path + " " + o.why
	}
	return refusal(pos, value+" cannot be saved", why, o.remedy)
}

// obstacle is the part of a type that prevents saving its values.
type obstacle struct {
	path        string // from the type to the part; empty for the type itself
	why, remedy string
}

// in returns the obstacle as a part of a larger type; nil stays nil.
func (o *obstacle) in(step string) *obstacle {
	if o != nil {
		o.path = step + o.path
	}
	return o
}

func processBound(t types.Type) *obstacle {
	return &obstacle{
		why:    "is a " + t.String() + ", which means nothing in another process",
		remedy: "use it only before the point, or create it in a step",
	}
}

func address() *obstacle {
	return &obstacle{why: "is an address, which means nothing in another process", remedy: "use it only before the point"}
}

func lostPrecision() *obstacle {
	return &obstacle{why: "is a big.Float, whose precision is lost when it is loaded", remedy: "use a big.Rat, or its text and precision"}
}

func savedContext() *obstacle {
	return &obstacle{why: "is a context, which cannot be saved", remedy: "derive contexts inside steps"}
}

func unknownContent(t types.Type) *obstacle {
	return &obstacle{
		why:    "is an interface (" + t.String() + "), and what it holds is not known when it is loaded",
		remedy: "use a concrete type",
	}
}

func unexportedField() *obstacle {
	return &obstacle{
		why:    "is a field that is not exported, of a type that does not marshal itself",
		remedy: "export it, or give the type MarshalJSON and UnmarshalJSON",
	}
}
