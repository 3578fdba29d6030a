// Package vet finds mistakes that compile and run in programs with asynchronous
// functions: a job without a waiter, a call that blocks the worker it runs on, a
// lock held while waiting.
//
// [Analyzer] is an analyzer like those of go vet. The command movenext runs it, and can
// also serve as a tool for go vet:
//
//	go tool movenext vet ./...
//	go vet -vettool=$(go tool -n movenext) ./...
//
// # What is checked
//
// Most checks depend on what runs a piece of code, which survey.go determines first. There
// are three cases. A machine runs the body of an annotated function, and the function literals
// that are part of it: calls of twins suspend there, and a blocking call occupies a worker. A
// job runs other functions that are passed to job.Run and similar functions: nothing suspends,
// so a call of a twin's plain form blocks. Everything else is plain Go and may block.
//
// A line is excused by //movenext:allow CHECK REASON behind it or above it: see allow.go.
//
// Each check is one file, named after it. Each finding ends in the check's name in brackets,
// which is also its category. Most findings have a fix. A fix always compiles; if it changes
// what the program does, its name says so.
package vet

import (
	"flag"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Analyzer reports misuse of jobs and of asynchronous functions. It checks one
// package at a time, with the facts of its imports, and ignores generated files.
//
// The flag skip names checks to leave out, separated by commas.
var Analyzer = &analysis.Analyzer{
	Name:  "movenext",
	Doc:   doc(),
	URL:   "https://pkg.go.dev/github.com/movenext/movenext/codegen/vet",
	Run:   run,
	Flags: flags(),

	FactTypes: []analysis.Fact{new(knowledge)},
}

// check is one kind of mistake to look for.
type check struct {
	name string
	doc  string
	run  func(*reporter, *survey)
}

var checks = []check{
	{"droppedjob", "a job without a waiter: its result, error and panic are lost", droppedJobs},
	{"blocking", "a call, a channel operation or a select that blocks the worker of an asynchronous function", blockingCalls},
	{"heldlock", "a sync.Mutex that is held while an asynchronous function is suspended", heldLocks},
	{"plainform", "the plain form of a twin, called where it blocks: in a job's function, in a literal that is kept", plainForms},
	{"indirect", "a call that reaches the plain form of a twin, which blocks, through an interface, a func value or a plain function", indirectCalls},
	{"halfpair", "a type that has the two forms of a pair of twins from different places", halfPairs},
	{"dropcontext", "a function with a context that passes another on: home, deadline and values are lost", droppedContexts},
	{"threadlock", "a goroutine that is locked to its thread when an asynchronous function is suspended", lockedThreads},
	{"traceregion", "a region of runtime/trace that is open when an asynchronous function is suspended", traceRegions},
	{"hiddenpoint", "a call in a durable function that reaches a step through another package, where the step is a plain call", hiddenPoints},
	{"localtype", "a value in an interface that outlives an annotated function, with a type that the function declares", localTypes},
	{"realtime", "a wait for real time, such as context.WithTimeout, in code that a test runs with jobtest, where time is virtual", realTimeCalls},
	{"stale", "generated code of an older version of its function, or of a function that is gone", staleTwins},
	{"allow", "an excuse, //movenext:allow CHECK REASON, that excuses nothing or lacks a part", nil}, // after all others
}

func doc() string {
	var b strings.Builder
	b.WriteString("report misuse of jobs and of asynchronous functions\n\nThe checks are:\n\n")
	for _, c := range checks {
		fmt.Fprintf(&b, "\t%-12s %s\n", c.name, c.doc)
	}
	return b.String()
}

// skipped is the value of the flag skip.
type skipped []string

func (s *skipped) String() string { return strings.Join(*s, ",") }

// Set accepts names of checks, replacing those of an earlier call.
func (s *skipped) Set(list string) error {
	*s = nil
	if list == "" {
		return nil
	}
	for name := range strings.SplitSeq(list, ",") {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			return fmt.Errorf("there is no check %q", name)
		}
		*s = append(*s, name)
	}
	return nil
}

var skip skipped

func flags() flag.FlagSet {
	var set flag.FlagSet
	set.Var(&skip, "skip", "checks not to make, separated by commas")
	return set
}

func run(pass *analysis.Pass) (any, error) {
	if !concerned(pass) {
		return nil, nil
	}
	s := newSurvey(pass)
	x := excusesIn(pass)
	for _, c := range checks {
		if c.run != nil && !slices.Contains(skip, c.name) {
			c.run(&reporter{pass, c.name, x}, s)
		}
	}
	if !slices.Contains(skip, "allow") {
		x.report(&reporter{pass, "allow", nil})
	}
	s.writeFacts()
	return nil, nil
}

// reporter reports the findings of one check.
type reporter struct {
	pass    *analysis.Pass
	check   string
	excuses *excuses // nil: there are none
}

func (r *reporter) report(pos ast.Node, m message, fixes ...analysis.SuggestedFix) {
	if r.excuses.excuse(r.check, pos.Pos()) {
		return
	}
	fixes = slices.DeleteFunc(fixes, func(f analysis.SuggestedFix) bool { return len(f.TextEdits) == 0 })
	r.pass.Report(analysis.Diagnostic{
		Pos: pos.Pos(), End: pos.End(), Category: r.check,
		Message:        m.String() + " [" + r.check + "]",
		SuggestedFixes: fixes,
	})
}

// concerned reports whether a package may use the runtime: it belongs to the main module, or
// imports the runtime.
func concerned(pass *analysis.Pass) bool {
	if len(pass.Files) == 0 || pass.TypesInfo == nil {
		return false
	}
	if m := pass.Module; m != nil && m.Path != "" && m.Version == "" {
		return true
	}
	for _, dep := range pass.Pkg.Imports() {
		if strings.HasPrefix(dep.Path(), source.Module+"/") {
			return true
		}
	}
	return false
}
