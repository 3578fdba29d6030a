package codegen_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// traced is a program that runs its functions as plain Go and as machines. It prints the line of
// each call of where, and of each statement that panics; both runs must print the same lines.
const traced = `package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/movenext/movenext/job"
)

var trace []string

func where(name string) int {
	_, file, line, _ := runtime.Caller(1)
	trace = append(trace, fmt.Sprintf("%s %s:%d", name, path.Base(file), line))
	folders[path.Dir(file)] = true
	return line
}

var folders = map[string]bool{}

func fails(...any) bool { return true }

//movenext:async
func walk(ctx context.Context, list []int) int {
	where("first")
	job.Yield()
	where("second")

	sum := 0
	for _, n := range list {
		if n == 0 {
			where("skipped")
			return 0
		}
		if n == 2 {
			where("two")
			continue
		}
		for range n {
			if n > 3 { return where("short") }
			where("inner")
		}
		job.Yield()
		func() {
			sum += n
			where("literal")
		}()
		defer func() {
			where("deferred")
		}()
	}
	var missing *[]int
	return sum + len(*missing)
}

//movenext:async
func double(ctx context.Context, n int) (int, error) {
	where("double")
	if n > 2 {
		job.Yield()
	}
	return 2 *
		n, nil
}

// A comment that
// takes lines.
//
//movenext:async
func expressions(ctx context.Context, m map[string]int) (n int, err error) {
	a, err := double(ctx,
		where("argument"),
	)
	b := a + where("operand") +
		first(double(ctx, 3)) +
		where("below")
	if c, err := double(ctx, b); err != nil || c < where("condition") {
		where("never")
	} else if d, _ := double(ctx, 1); d > 0 && where("else") > 0 {
		// This is kept as it is, and
		switch { // has comments
		case m == nil:
			where("kept")

		case where("case") > 0:
			where("second case")
		}
	}
	switch e, _ := double(ctx, 2); {
	// A comment.

	case e == where("tag"):
	case e > 0:
		job.Yield()
		where("in case")
		fallthrough
	default:
		where("default")
	}
	for i := where("init") - where("init"); i < 2; i += where("post") {
		job.Yield()
		where("loop")
	}
	m["a"] = first(double(ctx, 1))
	return
}

func first(n int, _ error) int { return n }

//movenext:async
func tail(ctx context.Context, n int) (int, error) {
	if n == 0 { // nothing

		where("before")
		return double(ctx,
			where("in tail"))
	}

	where("last")
	return double(ctx, n)
}

//movenext:async
func oneLine(ctx context.Context, n int) (int, error) { return double(ctx, n+where("one line")) }

type list[T any] []T

//movenext:async
func (l list[T]) each(ctx context.Context, f func(T) int) (n int) {
	for _, v := range l {
		job.Yield()
		n += f(v)
		n += where("method")
	}
	if n > 0 {
		defer func() {
			recover()
			where("recovered")
		}()
	}
	return l.last(
		where("result"))
}

func (l list[T]) last(i int) int {
	_ = l[i]
	return i
}

//movenext:async
func values(ctx context.Context) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range 2 {
			job.Yield()
			if !yield(where("yield"), nil) {
				where("stopped")
				return
			}
			if i == 1 {
				panic("in stream")
			}
		}
	}
}

//movenext:async
func ranges(ctx context.Context) error {
	for v, err := range values(ctx) {
		where("value")
		if v == 0 {
			return err
		}
	}
	return nil
}

//movenext:async
func literals(ctx context.Context) error {
	f := func(n int) int {
		job.Yield()
		return n +
			where("variable")
	}
	defer func() {
		where("deferred")
		job.Yield()
		where("deferred more")
	}()
	where("between")
	func() {
		job.Yield()
		where("called")
	}()
	_ = f(2)
	c := make(chan int, 1)
	select {
	case c <- first(double(ctx, 5)):
		job.Yield()
		where("sent")
	}
	if fails(where("argument of another"),
		c) {
		goto end
	}
	where("never")
end:
	job.Yield()
	return errors.New(fmt.Sprint(
		list[int]{}[where("index")]))
}

// run prints what a form of a function leaves: its trace, and where it panics.
func run(name string, plain func(), machine func() error) {
	ctx := path.Base(name)
	trace = nil
	stack := func() (stack string) {
		defer func() {
			if v := recover(); v != nil {
				stack = string(debug.Stack())
			}
		}()
		plain()
		return ""
	}()
	want := append(trace, panicked(stack))
	trace = nil
	err := machine()
	stack = ""
	var p *job.PanicError
	if errors.As(err, &p) {
		stack = string(p.Stack)
	}
	got := append(trace, panicked(stack))
	if !slices.Equal(got, want) {
		fmt.Printf("%s:\nplain   %q\nmachine %q\n", ctx, want, got)
	}
	fmt.Println(name, len(got), panicked(stack))
}

// panicked returns the first place in the source behind that of panic.
func panicked(stack string) string {
	_, stack, found := strings.Cut(stack, "panic(")
	if !found {
		return "no panic"
	}
	for line := range strings.Lines(stack) {
		if line, _, _ = strings.Cut(strings.TrimSpace(line), " "); (strings.Contains(line, "/main") || strings.HasPrefix(line, "main.y")) && !strings.Contains(line, "(") {
			folders[path.Dir(line)] = true
			return "panic in " + path.Base(line)
		}
	}
	return "panic elsewhere"
}

func of[T any](j *job.Job[T]) error {
	_, err := j.Wait(context.Background())
	return err
}

func main() {
	ctx := context.Background()
	run("walk", func() { walk(ctx, []int{1, 2}) }, func() error { return of(walkAsync(ctx, []int{1, 2})) })
	run("short", func() { walk(ctx, []int{4}) }, func() error { return of(walkAsync(ctx, []int{4})) })
	run("expressions", func() { expressions(ctx, nil) }, func() error { return of(expressionsAsync(ctx, nil)) })
	run("tail", func() { tail(ctx, 0) }, func() error { return of(tailAsync(ctx, 0)) })
	run("tail more", func() { tail(ctx, 9) }, func() error { return of(tailAsync(ctx, 9)) })
	run("one line", func() { oneLine(ctx, 1) }, func() error { return of(oneLineAsync(ctx, 1)) })
	l := list[string]{"x", "y"}
	run("each", func() { l.each(ctx, func(string) int { return 1 }) }, func() error { return of(l.eachAsync(ctx, func(string) int { return 1 })) })
	run("ranges", func() { ranges(ctx) }, func() error { return of(rangesAsync(ctx)) })
	run("literals", func() { literals(ctx) }, func() error { return of(literalsAsync(ctx)) })
	run("children", func() { children(ctx) }, func() error { return of(childrenAsync(ctx)) })
	run("grammar", func() { grammar(ctx, 1) }, func() error { return of(grammarAsync(ctx, 1)) })
	for folder := range folders {
		fmt.Println("folder", folder)
	}
	_ = os.Stdout.Sync()
}

// As a generator of parsers writes it:
//line main.y:10
//movenext:async
func grammar(ctx context.Context, n int) int {
	where("rule")
	job.Yield()
//line main.y:100
	where("action")
	a := n + where("sum")
	if n > 0 {
		where("kept")
//line lexer/main.l:5
		where("in the kept")
		where("behind")
	}
	job.Yield()
	/*line main.y:300:1*/ where("inline")
//line main.go:1000
	where("back")
	for range n {
		job.Yield()
//line main.y:400
		where("loop")
	}
	return []int{}[a]
}
`

// tracedWant is the program's output, without the folders: no differences, how much was compared,
// and where each function panicked.
const tracedWant = `walk 7 panic in main.go:61
short 4 no panic
expressions 20 panic in main.go:112
tail 4 no panic
tail more 3 no panic
one line 3 no panic
each 5 no panic
ranges 5 panic in main.go:168
literals 10 panic in main.go:217
children 3 no panic
grammar 10 panic in main.y:402
`

// formatted is another file of the program. It is as gofmt writes it, so that only the lines
// behind what takes more of them in a machine need directives.
const formatted = `package main

import (
	"context"

	"github.com/movenext/movenext/job"
)

//movenext:async
func child(ctx context.Context, n int) error {
	job.Yield()
	return nil
}

//movenext:async
func children(ctx context.Context) error {
	return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for n := range 2 {
			s.Go(func(ctx context.Context) error { return child(ctx, n) })
			where("after a child")
		}
		return nil
	})
}
`

func TestMachinesShowTheLinesOfTheSource(t *testing.T) {
	for _, form := range []struct {
		mode  codegen.Mode
		build string
		named func(dir string) string // the other folder of files in stacks, next to the source's
	}{
		{codegen.Release, "-gcflags=", func(string) string { return "example.com/traced" }},
		// Built for a debugger, which knows a file by a single name: that of the source.
		{codegen.Debug, "-gcflags=-N -l", filepath.ToSlash},
	} {
		t.Run(string(form.mode)+form.build, func(t *testing.T) {
			dir := testmodule.New(t, "example.com/traced")
			testmodule.Write(t, filepath.Join(dir, "main.go"), []byte(traced))
			testmodule.Write(t, filepath.Join(dir, "children.go"), []byte(formatted))
			result, err := codegen.Generate(codegen.Config{Dir: dir, Mode: form.mode}, ".")
			require.NoError(t, err)
			require.Empty(t, result.Diagnostics)

			run := exec.Command("go", "run", form.build, ".")
			run.Dir = dir
			printed, err := run.CombinedOutput()
			require.NoError(t, err, string(printed))
			var rest []string
			for line := range strings.Lines(string(printed)) {
				if folder, ok := strings.CutPrefix(line, "folder "); ok {
					assert.Contains(t, []string{form.named(dir), filepath.ToSlash(dir), ".", "lexer"}, strings.TrimSpace(folder))
					continue
				}
				rest = append(rest, line)
			}
			assert.Equal(t, tracedWant, strings.Join(rest, ""))
		})
	}
}

func TestDirectivesOfTheSourceAreFollowedByACheckAndByFindings(t *testing.T) {
	dir := testmodule.New(t, "example.com/grammar")
	testmodule.Write(t, filepath.Join(dir, "rules.go"), []byte(`package grammar

import "github.com/movenext/movenext/job"

//line rules.y:100
//movenext:async
func rule(a, b int) int {
	job.Yield()
//line rules.y:10
	return a + b
}

var outside = rule(
	1,
//line other.y:7
	2,
)

var above = rule(
	1,
//line other.y:1
	2,
)

var within = rule(
	1,
//line other.y:12
	2,
)
`))
	result, err := codegen.Generate(codegen.Config{Dir: dir})
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	var extents []string
	for _, d := range result.Warnings {
		extents = append(extents, fmt.Sprintf("%s:%d-%d", filepath.Base(d.End.Filename), d.Pos.Line, d.End.Line))
	}
	assert.Equal(t, []string{"other.y:4-13", "other.y:10-10", "rules.y:13-13"}, extents, "an extent never ends before it begins, or in another file")

	assert.Contains(t, output(t, dir, "rules_async.go"), "//line rules.y:10\n")
	assert.Empty(t, changed(t, codegen.Config{Dir: dir, DryRun: true}), "a check finds what a run has written")
	testmodule.Write(t, filepath.Join(dir, "rules.go"), []byte(strings.Replace(output(t, dir, "rules.go"), "rules.y:10\n", "rules.y:11\n", 1)))
	assert.Equal(t, []string{"rules_async.go"}, changed(t, codegen.Config{Dir: dir, DryRun: true}))
}
