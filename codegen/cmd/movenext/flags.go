package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/vet"
)

const usage = `usage: movenext [generate] [flags] [packages]
       movenext check [flags] [packages]
       movenext vet [flags] [packages]
       movenext accept [flags] function ...
       movenext explain [flags] [package [function ...]] [-- command ...]
       movenext cover [flags] profile
       movenext init [-C dir]
       movenext merge [flags] [packages]
       movenext version

generate writes the twins of functions annotated with //movenext:async,
check prints which generated files are not up to date,
vet finds mistakes that compile and run: dropped jobs, blocked workers,
accept lets instances of durable functions continue with changed code,
explain draws machines, and steps through a run of them (movenext explain -help),
cover moves the counts of generated code in a coverage profile to the source,
init writes settings for git, CI, the linter and editors,
merge generates in a merge of git, and stages generated files.
Packages are patterns as for go build; without any they are "./...".

  -mode form     release (default): state machines; debug: to step through;
                 plain: the function on a goroutine
  -tags list     build tags, separated by commas
  -goos os       load the files for this system
  -goarch arch   load the files for this architecture
  -C dir         resolve patterns in dir
  -cache dir     keep the cache in dir (default $MOVENEXTCACHE, or the user's cache folder); off for none
  -overwrite     of generate: replace generated files even if they were edited by hand or damaged
  -watch         of generate: generate again after each change, until interrupted
  -strand        of accept: leave instances behind, stuck, that cannot continue
  -skip list     of vet: checks to skip, separated by commas
  -json          print the result as JSON

exit status: 0 fine, 1 findings or files not up to date, 2 usage or loading
`

var (
	errFlagOrder       = errors.New("flags come before package patterns")
	errNothingToAccept = errors.New("accept needs the names of durable functions, as their annotations have them")

	errCommandOrder = errors.New("the command comes before its flags")
)

// commands are the words accepted as the first argument.
var commands = []string{"generate", "check", "vet", "accept", "explain", "cover", "init", "merge", "version", "help"}

// unknownCommand returns the first argument if it was probably meant as a command: it is a
// single word, and only packages of the Go distribution have single-word paths.
func unknownCommand(args []string) (string, bool) {
	if len(args) == 0 || args[0] == "" || strings.ContainsAny(args[0], "./\\-@ ") {
		return "", false
	}
	return args[0], true
}

type options struct {
	command string
	config  codegen.Config
	json    bool
	watch   bool
}

// parse reads the flags and the patterns after them. It prints a usage error before
// returning it.
func parse(command string, args []string, stderr io.Writer) (options, []string, error) {
	o := options{command: command}
	var cache string
	flags := flag.NewFlagSet("movenext", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	o.config.Mode = codegen.Release
	flags.Var(&o.config.Mode, "mode", "")
	addBuildFlags(flags, &o.config)
	if command == "generate" {
		flags.BoolVar(&o.config.Overwrite, "overwrite", false, "")
		flags.BoolVar(&o.watch, "watch", false, "")
	}
	if command == "accept" {
		flags.BoolVar(&o.config.Strand, "strand", false, "")
	}
	if command == "vet" {
		flags.Var(vet.Analyzer.Flags.Lookup("skip").Value, "skip", "")
	}
	flags.BoolVar(&o.json, "json", false, "")
	flags.StringVar(&cache, "cache", "", "")
	if err := flags.Parse(args); err != nil {
		return o, nil, err
	}
	o.config.Cache = cacheFolder(cache)
	patterns := flags.Args()
	if err := checkOrder(patterns); err != nil {
		fmt.Fprintf(stderr, "movenext: %v\n", err)
		return o, nil, err
	}
	if command == "accept" {
		if len(patterns) == 0 {
			fmt.Fprintf(stderr, "movenext: %v\n", errNothingToAccept)
			return o, nil, errNothingToAccept
		}
		o.config.Accept, patterns = patterns, nil
	}
	return o, patterns, nil
}

// addBuildFlags adds the flags that say which files are loaded, and from where.
func addBuildFlags(flags *flag.FlagSet, config *codegen.Config) {
	flags.Func("tags", "", func(list string) error {
		config.Tags = nil
		if list != "" {
			config.Tags = strings.Split(list, ",")
		}
		return nil
	})
	flags.StringVar(&config.GOOS, "goos", "", "")
	flags.StringVar(&config.GOARCH, "goarch", "", "")
	flags.StringVar(&config.Dir, "C", "", "")
}

// checkOrder rejects arguments that cannot be meant as patterns: the go command would
// interpret a flag as its own, and a command as a package.
func checkOrder(patterns []string) error {
	for i, p := range patterns {
		if strings.HasPrefix(p, "-") {
			return fmt.Errorf("%w: %s", errFlagOrder, p)
		}
		if i == 0 && slices.Contains(commands, p) {
			return fmt.Errorf("%w: movenext %s", errCommandOrder, p)
		}
	}
	return nil
}

// cacheFolder returns the folder for results of earlier runs, or "" for none. A system
// without a place for such folders causes no error.
func cacheFolder(flag string) string {
	choice := cmp.Or(flag, os.Getenv("MOVENEXTCACHE"))
	if choice == "off" {
		return ""
	}
	if choice != "" {
		return choice
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "movenext")
}

func version(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "movenext: version takes no arguments")
		return exitUsage
	}
	built := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		built = info.Main.Version
		for _, dep := range info.Deps {
			if dep.Path == source.Module {
				built = dep.Version
			}
		}
	}
	fmt.Fprintf(stdout, "movenext %s, contract %d\n", built, codegen.Contract)
	return exitOK
}

// printJSON prints the report described in the command's documentation.
func printJSON(w io.Writer, result *codegen.Result) error {
	type file struct {
		Path   string
		Change codegen.Change
	}
	report := struct {
		Accepted    []string
		Files       []file
		Diagnostics []codegen.Diagnostic
		Warnings    []codegen.Diagnostic
		Held        []codegen.Held
	}{Accepted: append([]string{}, result.Accepted...), Files: []file{}, Diagnostics: []codegen.Diagnostic{}, Warnings: []codegen.Diagnostic{}, Held: []codegen.Held{}}
	for _, f := range result.Stale() {
		report.Files = append(report.Files, file{f.Path, f.Change})
	}
	report.Diagnostics = append(report.Diagnostics, result.Diagnostics...)
	report.Warnings = append(report.Warnings, result.Warnings...)
	report.Held = append(report.Held, result.Held...)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	return encoder.Encode(report)
}
