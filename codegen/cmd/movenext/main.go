// Movenext generates the asynchronous twins of annotated functions.
//
// Usage:
//
//	movenext [generate] [flags] [packages]
//	movenext check [flags] [packages]
//	movenext vet [flags] [packages]
//	movenext accept [flags] function ...
//	movenext explain [flags] [package [function ...]] [-- command ...]
//	movenext cover [flags] profile
//	movenext init [-C dir]
//	movenext merge [flags] [packages]
//	movenext version
//
// A function or method F with the line
//
//	//movenext:async
//
// in its doc comment gets a twin FAsync next to it, in x_async.go for x.go: a state
// machine that does what F does, and suspends where F blocks. Package codegen explains
// how. One line in a file of the module's root folder is enough for the whole module:
//
//	//go:generate go tool movenext ./...
//
// # Commands
//
// Generate, the default, writes missing and stale files and removes generated files
// whose source no longer has an annotation. It prints what it changed.
//
// Check writes nothing. It prints every generated file that differs from the output of
// generate, and why: stale, missing, orphaned, edited (by hand) or damaged.
//
// Vet writes nothing either. It reports mistakes that compile and run: a job without a
// waiter, a call that blocks the worker of an asynchronous function, a lock held across
// a suspension. Package codegen/vet has the list. The command also works as a tool for
// go vet, which can apply the fixes that most findings come with:
//
//	go vet -vettool=$(go tool -n movenext) ./...
//	go vet -fix -vettool=$(go tool -n movenext) ./...
//
// Accept is for changes to durable functions (package durable) that have instances in flight.
// Generate and check compare each durable function with its past, which is committed in the file
// movenext_layouts.txt of its package. They refuse a change that instances may not survive until
// it is accepted. Accept takes the names of functions in ./..., as their annotations spell
// them. It generates like the default command, records that the instances continue with the new
// code, and prints what it has accepted. It cannot accept saved state that cannot be loaded: with
// -strand it leaves such instances behind, stuck, until a migration or an older program takes
// them.
//
// Explain draws the machines of functions, as text, for Mermaid or Graphviz, or as a
// page that can step through a run of the command: see docs/explain.md and movenext
// explain -help.
//
// Cover moves the counts of generated code in a coverage profile to the source, so that
// go tool cover shows what machines have run: see docs/howto/coverage.md.
//
// Init writes settings for git, CI, golangci-lint and VS Code, and says what it writes; merge
// generates in a merge of git, also over what was merged as text, and stages the generated
// files: see docs/howto/editors.md.
//
// Version prints the version of the tool and of its contract with the runtime.
//
// Packages are patterns as for go build; without any they are "./...".
//
// # Flags
//
//	-mode form
//		release (the default) generates state machines; debug generates machines to
//		step through, with every local in the frame and with source lines in
//		debuggers and stacks; plain generates twins that run the plain function on
//		a goroutine: the same program, executed the other way, for comparison.
//	-tags list, -goos os, -goarch arch
//		select files as the flags and variables of go build do. Files for
//		another system need a run for that system; no run changes the files
//		of another.
//	-C dir
//		resolves patterns in dir.
//	-cache dir
//		keeps data in dir that makes the next run fast: if nothing that the run
//		depends on has changed, it ends before it loads any package; otherwise it
//		generates only what depends on the change. The default is
//		$MOVENEXTCACHE or else a folder in the user's cache folder; "off"
//		disables the cache. Concurrent runs may share it.
//	-overwrite
//		of generate: also replaces and removes generated files that were edited
//		by hand. Without it, an edited file is a finding, and nothing is lost.
//	-watch
//		of generate: generates again after each change, until it is interrupted. A run
//		after a change of a function takes a fraction of a second.
//	-strand
//		of accept: leaves instances behind that cannot continue.
//	-skip list
//		of vet: checks to skip.
//	-json
//		prints one JSON object on standard output instead of text:
//
//	type Report struct {
//		Accepted    []string     // what accept has accepted, a line each
//		Files       []File       // generated files that changed, or would
//		Diagnostics []Diagnostic // findings, by place
//		Warnings    []Diagnostic // by place; they do not count as findings
//		Held        []Held       // packages not written because of another's findings
//	}
//	type File struct {
//		Path   string
//		Change string // "created", "updated", "removed", "edited", "damaged"
//	}
//	type Diagnostic struct {
//		Pos, End struct{ Filename string; Offset, Line, Column int }
//		Category string // a stable word: "source", "annotation", "twin", …
//		What, Why, Do string
//	}
//	type Held struct{ Package, Because string }
//
// # Findings
//
// A finding is one line on standard error:
//
//	file:line:column: what is wrong; why; what to do
//
// All findings of all packages are printed in one run. Files of a folder with a
// finding are left as they are, and so are those of packages that import it.
//
// A warning has the same form, with "warning:" in it. It concerns correct source that may
// block where nothing suspends, such as an initialiser of a package variable that calls a
// function with a twin, or a call of a function that looks as if it had one. A warning does
// not keep anything from being written.
//
// # Exit status
//
//	0  no findings
//	1  findings, or check found generated files that are not up to date
//	2  wrong usage, or packages that could not be loaded at all
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/vet"
)

const (
	exitOK       = 0
	exitFindings = 1
	exitUsage    = 2
)

func main() {
	if isVetTool(os.Args[1:]) {
		unitchecker.Main(vet.Analyzer)
	}
	// A run allocates syntax and types and ends: most of what the collector would scan
	// is still in use. Collecting less often saves a fifth of the time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// isVetTool reports whether go vet has started this program as its tool: to query its
// version or its flags, or with a configuration file for one package.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasSuffix(last, ".cfg") || len(args) == 1 && (last == "-V=full" || last == "-flags")
}

// run does the work of main and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	command := "generate"
	if len(args) > 0 && slices.Contains(commands, args[0]) {
		command, args = args[0], args[1:]
	}
	switch command {
	case "help":
		fmt.Fprint(stdout, usage)
		return exitOK
	case "version":
		return version(args, stdout, stderr)
	case "explain":
		return explainMachines(args, stdout, stderr)
	case "cover":
		return coverProfile(args, stderr)
	case "init":
		return initialise(args, stdout, stderr)
	}
	options, patterns, err := parse(command, args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return exitUsage
	}
	if options.watch {
		return options.keepGenerating(patterns, stdout, stderr)
	}
	line := newProgress(stderr, patience, patienceElsewhere)
	options.config.Progress = line.step
	result, err := options.do(patterns)
	line.clear()
	if err != nil {
		if word, ok := unknownCommand(args); ok {
			fmt.Fprintf(stderr, "movenext: unknown command %q: want %s, or packages, of which none has this name\n", word, strings.Join(commands, ", "))
			return exitUsage
		}
		fmt.Fprintf(printed{stderr}, "movenext: %s\n", strings.TrimPrefix(err.Error(), "codegen: "))
		return exitUsage
	}
	if err := options.print(stdout, stderr, result); err != nil {
		fmt.Fprintf(stderr, "movenext: %s\n", err)
		return exitUsage
	}
	if command == "merge" {
		if err := stage(options.config.Dir, result); err != nil {
			fmt.Fprintf(printed{stderr}, "movenext: %v\n", err)
			return exitUsage
		}
	}
	if len(result.Diagnostics) > 0 || command == "check" && len(result.Stale()) > 0 {
		return exitFindings
	}
	return exitOK
}

// do executes a command for patterns.
func (o *options) do(patterns []string) (*codegen.Result, error) {
	if o.command == "vet" {
		found, err := vet.Packages(o.config, patterns...)
		return &codegen.Result{Diagnostics: found}, err
	}
	o.config.DryRun = o.command == "check"
	o.config.Overwrite = o.config.Overwrite || o.command == "merge" // both sides are in the history
	return codegen.Generate(o.config, patterns...)
}

// print prints a result in the chosen form.
func (o *options) print(stdout, stderr io.Writer, result *codegen.Result) error {
	if o.json {
		return printJSON(stdout, result)
	}
	printLines(stdout, stderr, o.command, result)
	return nil
}

// printLines prints findings to stderr and what changed to stdout.
func printLines(stdout, stderr io.Writer, command string, result *codegen.Result) {
	stdout, stderr = printed{stdout}, printed{stderr}
	for _, d := range result.Diagnostics {
		d.Pos.Filename = relative(d.Pos.Filename)
		fmt.Fprintln(stderr, d)
	}
	for _, line := range result.Accepted {
		fmt.Fprintln(stdout, line)
	}
	for _, d := range result.Warnings {
		d.Pos.Filename = relative(d.Pos.Filename)
		d.What = "warning: " + d.What
		fmt.Fprintln(stderr, d)
	}
	for _, h := range result.Held {
		fmt.Fprintf(stderr, "movenext: %s is left as it is: it imports %s, which has findings\n", h.Package, h.Because)
	}
	for _, f := range result.Stale() {
		word := string(f.Change)
		if command == "check" {
			word = map[codegen.Change]string{
				codegen.Created: "missing", codegen.Updated: "stale", codegen.Removed: "orphaned", codegen.Edited: "edited", codegen.Damaged: "damaged",
			}[f.Change]
		}
		fmt.Fprintf(stdout, "%s %s\n", word, relative(f.Path))
	}
}

// relative shortens path if it lies below the current folder.
func relative(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
