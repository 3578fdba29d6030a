package vet

import (
	"fmt"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// message is the text of a finding, in the order of the generator's diagnostics: what is
// wrong, why, and what to do. Every message has a constructor here, so one file lists
// everything that vet may report.
type message struct{ what, why, do string }

func (m message) String() string { return strings.Join([]string{m.what, m.why, m.do}, "; ") }

// channelBlocks returns the message about a send, a receive or a loop over a channel.
func channelBlocks(what string) message {
	return message{what + " blocks the worker", "a machine cannot suspend on a plain channel", "use a coord.Channel, which suspends"}
}

func selectBlocks() message {
	return message{
		"a select blocks the worker", "a machine cannot suspend on plain channels",
		"await job.WhenAnyOf, or give it a default and wait with job.Sleep",
	}
}

func doneBlocks() message {
	return message{"a receive from Done blocks the worker", "a machine cannot suspend on a plain channel", "call Await, which suspends"}
}

func timerBlocks() message {
	return message{"a receive from a timer blocks the worker", "a machine cannot suspend on a plain channel", "call job.Sleep, which suspends"}
}

// callBlocks returns the message about a call of a function in a table of blockers.
func callBlocks(call, advice string) message {
	return message{call + " blocks the worker", "it waits on its goroutine and has no twin", advice}
}

func contextNotPassed(name string) message {
	return message{
		name + " is not passed on",
		fmt.Sprintf("the callee gets no home, and the end of %s does not reach it", name),
		"pass " + name,
	}
}

func contextOfAnother(name string) message {
	return message{
		name + " is not the context of this job",
		"it does not end with the job, and does not know the job's worker",
		"use the function's own context",
	}
}

func pointHidden(call, what string) message {
	return message{
		"the call of " + call + " reaches " + what,
		"there it is a plain call, which is not saved, and which a crash repeats with another key or none",
		"call it in the durable function itself, or make " + call + " a step",
	}
}

func waitsInRealTime(call, test, do string) message {
	return message{call + " waits for real time", test + " runs it in a simulation, whose clock is virtual", do}
}

// reachesRealTime returns the message about the call of a function of another package.
func reachesRealTime(call, what, test, do string) message {
	return message{
		"the call of " + call + " reaches " + what + ", which waits for real time",
		test + " runs it in a simulation, whose clock is virtual",
		do + " there",
	}
}

func localTypeStored(value, typ string) message {
	return message{
		value + " is kept in an interface, and its type " + typ + " is declared in this function",
		"the function and its machine have a type " + typ + " each, so neither finds or recognises what the other has stored",
		"declare " + typ + " outside of the function",
	}
}

// outOfDate returns the message about a generated file, which package stale has worded.
func outOfDate(what, why, do string) message { return message{what, why, do} }

func unknownExcuse(check string) message {
	return message{
		fmt.Sprintf("%q names no check", check),
		"an excuse is //movenext:allow CHECK REASON",
		"name the check that a finding has in brackets",
	}
}

func excuseWithoutReason(check string) message {
	return message{
		"this excuse for " + check + " has no reason, and does not count",
		"readers cannot see whether it is still right",
		"say why the line is right as it is",
	}
}

func unusedExcuse(check string) message {
	return message{
		"nothing here needs an excuse for " + check,
		"the next mistake on the line would be excused unread",
		"remove the comment",
	}
}

func jobDropped() message {
	return message{"this job is dropped", "its error or panic is lost", "await it, or assign it to _ if that is meant"}
}

func turnDropped() message {
	return message{
		"the error of this turn is dropped",
		"if the context ends before the turn, the function is never called, and only the error says so",
		"handle it, or assign it to _ if that is meant",
	}
}

func halfOverridden(h source.HalfPair) message {
	typ := h.Type.Obj().Name()
	return message{
		fmt.Sprintf("%s.%s overrides one form of a pair of twins", typ, h.Method.Name()),
		fmt.Sprintf("%s still comes from %s, and the two would be different programs", h.Missing, h.From),
		fmt.Sprintf("declare %s for %s, too", h.Missing, typ),
	}
}

func halfMixed(h source.HalfPair) message {
	typ := h.Type.Obj().Name()
	return message{
		fmt.Sprintf("%s gets %s from %s, and %s from the pair of %s", typ, h.Method.Name(), h.By, h.Missing, h.From),
		"the two would be different programs",
		fmt.Sprintf("declare both for %s, or embed one of the two only", typ),
	}
}

func lockHeld(lock string, line int) message {
	return message{
		fmt.Sprintf("%s, called at line %d, is held across this suspension", lock, line),
		"a waiter for the lock blocks a worker, which may be the one that would unlock it",
		"unlock it first, or use a coord.Mutex, which may be held across a suspension",
	}
}

func threadLeft(line int) message {
	return message{
		fmt.Sprintf("the function suspends at line %d while it is locked to its thread", line),
		"it continues on another thread",
		"run it on a scheduler of schedulers/dedicated, or remove the annotation",
	}
}

func regionOpen(line int) message {
	return message{
		fmt.Sprintf("this region of the trace is open when the function suspends at line %d", line),
		"it has to end on the goroutine on which it began, and the function continues on another",
		"end it first, or use a task (trace.NewTask), which follows the context",
	}
}

func keptSequence(seq, twin string) message {
	return message{
		"a range over " + seq + " blocks, if the sequence is kept or passed on",
		"only a range over the call itself uses the twin",
		fmt.Sprintf("range over the call in a function marked //movenext:async, or keep %s", twin),
	}
}

// reason is why a function that is not annotated blocks.
type reason struct {
	Calls string // the call or operation that blocks
	Twin  bool   // it would suspend in a machine
}

func (r reason) remedy() string {
	if r.Twin {
		return "mark it, so that both suspend"
	}
	return "run it with job.Blocking, or mark it and fix what vet reports in it"
}

func plainBlocks(call string, r reason) message {
	return message{call + " blocks the worker", fmt.Sprintf("it is not marked //movenext:async, and %s in it blocks", r.Calls), r.remedy()}
}

func plainPassed(fn string, r reason) message {
	return message{fn + " blocks its caller", fmt.Sprintf("it is not marked //movenext:async, and %s in it blocks", r.Calls), r.remedy()}
}

// methodBlocks returns the message about a call through an interface or a type parameter.
func methodBlocks(call, receiver, method, implementation string) message {
	return message{
		call + " blocks the worker",
		fmt.Sprintf("%s declares no %sAsync, although %s has a twin", receiver, method, implementation),
		"declare both forms in the interface",
	}
}

// methodOfPlain corresponds to methodBlocks for an implementation without a twin.
func methodOfPlain(call, implementation string, r reason) message {
	do := "run it with job.Blocking"
	if r.Twin {
		do = "mark that method //movenext:async, and declare both forms in the interface"
	}
	return message{call + " blocks the worker", fmt.Sprintf("it may reach %s, in which %s blocks", implementation, r.Calls), do}
}

// givenBlocks returns the message about an argument of a function that calls its plain methods.
func givenBlocks(call, method, implementation string) message {
	return message{
		call + " blocks the worker",
		fmt.Sprintf("it calls %s through an interface without %sAsync, although %s has a twin", method, method, implementation),
		fmt.Sprintf("call %s in a function marked //movenext:async instead, or run this with job.Blocking", method),
	}
}

func givenPlain(call, implementation, calls string) message {
	return message{call + " blocks the worker", fmt.Sprintf("it calls %s, in which %s blocks", implementation, calls), "run this with job.Blocking"}
}

func fieldBlocks(call, field string) message {
	return message{call + " blocks the worker", "the " + field + " that it reads waits for the network", "run this with job.Blocking"}
}

func valueBlocks(call string) message {
	return message{
		call + " blocks the worker if what it holds would suspend",
		"the type of a func value does not show a twin",
		"take the function as a parameter, a func that returns a *job.Job and await that, or an interface with both forms",
	}
}

// valueGiven returns the message about a func value that a machine gives to a function.
func valueGiven(value, function string) message {
	return message{
		fmt.Sprintf("%s blocks the worker in %s if it would suspend", value, function),
		"the type of a func value does not show a twin",
		"pass the function itself, a literal, or a parameter",
	}
}

// formGiven returns the message about a function with a twin whose entry a machine cannot pass.
func formGiven(value, function string, deferred bool) message {
	why, do := "a generic function and a promoted method have no entry as values", "pass a literal that calls it"
	if deferred {
		why, do = "a deferred call passes no entries", "defer a literal that makes the call"
	}
	return message{fmt.Sprintf("%s blocks the worker in %s", value, function), why, do}
}

// storedBlocks returns the message about a call of a func value that may be f.
func storedBlocks(call string, f storedFunc) message {
	do := "run it with job.Blocking"
	if f.why.Twin {
		do = valueBlocks(call).do
	}
	return message{fmt.Sprintf("%s blocks the worker if it is %s", call, f.name), f.why.Calls + " blocks there", do}
}

// paramBlocks returns the message about a parameter to which plain code gives a function that
// blocks.
func paramBlocks(call string, f storedFunc) message {
	m := storedBlocks(call, f)
	if f.why.Twin {
		m.do = "pass it in an annotated function"
	}
	return m
}

// markedBlocks returns the message about a value of a marked type that plain code has made.
func markedBlocks(call string, f storedFunc) message {
	return message{
		fmt.Sprintf("%s blocks the worker if it is %s, which plain code has kept", call, f.name),
		"only an annotated function makes a value that suspends",
		"annotate the function that keeps it, and start that one's twin",
	}
}

// valueRun returns the message about a func value that is passed to the runtime.
func valueRun(value string) message {
	return message{
		value + " blocks its worker if what it holds would suspend",
		"the type of a func value does not show a twin",
		"pass the function itself or, if this is a parameter, a literal that calls it",
	}
}

func formPassed(fn, instead string) message {
	return message{fn + " is passed on as its plain form, which blocks", "a func value has no twin", instead}
}

func keptBlocks(call, instead string) message {
	return message{call + " blocks here", "a function literal that is kept or passed on is not part of the asynchronous function", instead}
}

func jobBlocks(call string) message {
	return message{
		call + " blocks the worker of this job",
		"it is not part of an annotated function",
		"mark the function around it //movenext:async",
	}
}

func jobRunsPlain(fn, twin string) message {
	return message{
		"the job runs the plain form of " + fn + ", which blocks its worker",
		"it is not part of an annotated function",
		fmt.Sprintf("mark the function around it //movenext:async, or call %s, which suspends", twin),
	}
}

// becomes returns the message about a value that is converted to an interface or a func value
// through which a machine of another package calls the plain form.
func becomes(value, target, path, calls, instead string) message {
	return message{
		fmt.Sprintf("%s blocks the workers of %s, which gets it as a %s", value, path, target),
		fmt.Sprintf("%s calls %s, which has no twin there", path, calls),
		instead,
	}
}
