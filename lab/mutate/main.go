// Command mutate measures the tests of the runtime. It breaks one invariant at a time, as
// mutations.txt specifies, and checks which test notices.
//
//	go -C lab run ./mutate                               every mutation: an hour on two cores
//	go -C lab run ./mutate -package schedulers/pool      those of one folder
//	go -C lab run ./mutate -only 'pool-leave|pool-find'  those whose names match
//	go -C lab run ./mutate -check                        do all entries apply and compile?
//
// A mutation replaces a piece of one file. The changed file is a scratch file, which the go
// command reads instead of the original (go test -overlay). The tree is never changed, so
// runs may overlap with one another and with other work.
//
// A mutation is killed if one of its test commands fails, and the report names the first test
// that failed. A test that hangs until the time limit also kills, but is marked: a good test says
// what it waits for. A mutation that no test can kill, because the program's behaviour stays the
// same, is marked as equivalent in the list, with a reason.
//
// Each verdict is a line of the results file, with a digest of the entry. A run skips mutations
// that were killed before, unless the entry has changed since or -again is given, so an
// interrupted run can be continued.
//
// The command exits with 1 if a mutation survived, and with 2 if it cannot decide: an entry is
// stale, a mutation does not compile, or a test fails without any mutation.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

// options are the command's flags.
type options struct {
	list, results string
	only          string
	folder        string
	check, again  bool
	limit         time.Duration
}

func main() {
	var o options
	root := flag.String("root", "..", "the folder of the repository: other paths are relative to it")
	flag.StringVar(&o.list, "list", "lab/mutate/mutations.txt", "the mutations")
	flag.StringVar(&o.results, "results", "lab/mutate/results.txt", "the verdicts: read first, then appended to")
	flag.StringVar(&o.only, "only", "", "a regular expression for names")
	flag.StringVar(&o.folder, "package", "", "a folder: only mutations of files in it")
	flag.BoolVar(&o.check, "check", false, "run no test; report entries that do not apply or do not compile")
	flag.BoolVar(&o.again, "again", false, "run mutations that were killed before, too")
	flag.DurationVar(&o.limit, "limit", time.Minute, "of one test command")
	flag.Parse()
	if err := os.Chdir(*root); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	survived, err := run(ctx, o)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case survived > 0:
		os.Exit(1)
	}
}

// run executes the flags' request in the current folder, and returns the number of survivors.
func run(ctx context.Context, o options) (survived int, err error) {
	all, err := readList(o.list)
	if err != nil {
		return 0, err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return 0, fmt.Errorf("mutate: -only: %w", err)
	}
	var chosen []mutation
	for _, m := range all {
		inFolder := o.folder == "" || strings.HasPrefix(m.file, strings.Trim(o.folder, "./")+"/")
		if inFolder && only.MatchString(m.name) {
			chosen = append(chosen, m)
		}
	}
	if o.check {
		return 0, check(".", chosen)
	}
	known, err := readResults(o.results)
	if err != nil {
		return 0, err
	}
	if o.again {
		known = nil
	}
	verdicts, err := judge(ctx, chosen, known, o)
	if err != nil {
		return 0, err
	}
	fmt.Fprint(os.Stdout, table(chosen, verdicts))
	for _, v := range verdicts {
		if v.outcome == survivor {
			survived++
		}
	}
	return survived, nil
}
