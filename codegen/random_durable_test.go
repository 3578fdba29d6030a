package codegen_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

var (
	durables    = flag.Int("durables", 12, "how many random durable programs are crashed everywhere")
	durableSeed = flag.Uint64("durable-seed", 1, "the seed of the first of them")
)

// # Random durable programs
//
// Each program is a durable function of random statements: steps that succeed and fail, loops,
// branches, compensations, signals, sleeps, children, selects, policies of calls, and values that
// share memory. It is generated, run in its plain form and on an engine, and crashed at each of its
// writes; all outcomes have to be equal. The same seed produces the same program.
//
// The programs avoid the documented differences between durable functions and plain Go: a step
// that panics, two slices of one array, and results that depend on the order of a map, or on which
// child is fastest.

func TestRandomDurableProgramsSurviveACrashAtEachWrite(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	programs, cases := &strings.Builder{}, &strings.Builder{}
	programs.WriteString(durablePreamble)
	cases.WriteString(durableCases)
	for i := range uint64(*durables) {
		seed := *durableSeed + i
		p := &durableProgram{random: rand.New(rand.NewPCG(seed, 20))}
		fmt.Fprintf(programs, "\n// program%d is a random program.\n//\n//movenext:durable name=program%d\n", seed, seed)
		fmt.Fprintf(programs, "func (c *clerk) program%d(ctx context.Context, a int) (out string, err error) {\n", seed)
		programs.WriteString("\tb, text, list, table, l := a+1, \"\", []int{a}, map[string]int{}, &ledger{N: a}\n\tk := l\n")
		p.block(6+p.random.IntN(8), 1)
		programs.WriteString(p.text.String())
		programs.WriteString("\treturn fmt.Sprint(a, b, text, list, table, l.sum(), k.sum(), k == l), err\n}\n")
		fmt.Fprintf(cases, "\tsurvives(t, \"program%d\", program%dDurable, (*clerk).program%d)\n", seed, seed, seed)
	}
	cases.WriteString("}\n")
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(programs.String()))
	testmodule.Write(t, filepath.Join(dir, "p_test.go"), []byte(cases.String()))
	result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	run := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-timeout", "20m", ".")
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s\n%s", programs, out)
}

// durableProgram is the body of a program while it is being written.
type durableProgram struct {
	random *rand.Rand
	text   strings.Builder
	points int
	loops  int // around the current statement
	names  int
}

func (p *durableProgram) line(depth int, format string, args ...any) {
	fmt.Fprintf(&p.text, strings.Repeat("\t", depth)+format+"\n", args...)
}

// point writes a statement that begins a point.
func (p *durableProgram) point(depth int, format string, args ...any) {
	p.points++
	p.line(depth, "//movenext:point p%d", p.points)
	p.line(depth, format, args...)
}

// name returns a name that has not been used.
func (p *durableProgram) name() string {
	p.names++
	return fmt.Sprint("v", p.names)
}

// number returns an expression.
func (p *durableProgram) number() string {
	return pick(p, "a", "b", "a%7", "b%5+1", "len(list)", "a+b", "list[len(list)-1]", `table["x"]`, "l.N", "k.sum()%100", "len(text)", "3", "10")
}

func pick[T any](p *durableProgram, list ...T) T { return list[p.random.IntN(len(list))] }

func (p *durableProgram) block(statements, depth int) {
	for range statements {
		p.statement(depth)
	}
}

// statement writes one statement; deeply nested ones are simple.
func (p *durableProgram) statement(depth int) {
	choice := p.random.IntN(18)
	if depth > 3 && choice > 11 {
		choice = p.random.IntN(12)
	}
	switch choice {
	case 0:
		p.line(depth, "a = (%s + 2*%s) %% 1000", p.number(), p.number())
	case 1:
		p.line(depth, "list, b = append(list, %s%%100), %s%%1000", p.number(), p.number())
	case 2:
		p.line(depth, "table[%q] += %s %% 50", pick(p, "x", "y", "$z"), p.number())
	case 3:
		p.line(depth, pick(p, "l = &ledger{N: %s %% 9, Next: l}", "k = &ledger{N: %s %% 9, Next: l}", "l.N += %s %% 9", "k.Next = l; k.N = %s %% 9", "l, k = k, l; b += %s %% 3"), p.number())
	case 4:
		p.line(depth, "text += fmt.Sprint(%s)", p.number())
	case 5, 6:
		p.call(depth)
	case 7:
		p.point(depth, "a, err = c.double(ctx, %s)", p.number())
	case 8:
		v := p.name()
		p.point(depth, "%s, size, fail := join(ctx, []string{text, fmt.Sprint(%s)})", v, p.number())
		p.line(depth, "if fail == nil {\ntext, b = %s[:min(len(%s), 30)], b+size\n}", v, v)
	case 9:
		p.point(depth, "err = c.put(ctx, %s, l, k, list)", p.number())
		p.line(depth, "if err != nil && len(list) > %d {\nreturn fmt.Sprint(%s, list), err\n}", 1+p.random.IntN(5), p.number())
	case 10:
		p.receive(depth)
	case 11:
		p.line(depth, "defer durable.Compensate(ctx, &err, c.undo, %s)", p.number())
	case 12:
		p.children(depth)
	default:
		p.compound(choice, depth)
	}
}

// receive waits for a signal, of one name or of two.
func (p *durableProgram) receive(depth int) {
	v := p.name()
	if p.random.IntN(2) == 0 {
		p.point(depth, "%s, fail := durable.Select(ctx, time.Minute, []string{\"none\", \"n\"})", v)
		p.line(depth, "if n, bad := durable.As[int](%s); fail == nil && bad == nil {\na += n\n}\ntext += %s.Signal", v, v)
		return
	}
	p.point(depth, "%s, fail := durable.Receive[int](ctx, \"n\", time.Minute)", v)
	p.line(depth, "if fail != nil {\ntext += fail.Error()[:7]\n}\na += %s", v)
}

// call writes a step in a declaration; it may or may not return the step's error.
func (p *durableProgram) call(depth int) {
	v := p.name()
	ctx := pick(p, "ctx", "ctx", "durable.WithRetry(ctx, durable.Retry{Attempts: 2, Timeout: time.Hour, Never: []error{errOdd}})")
	p.point(depth, "%s, fail := c.%s(%s, %s)", v, pick(p, "double", "half"), ctx, p.number())
	p.line(depth, "if fail != nil {\n%s\n}", pick(p, "return text, fail", "text += fail.Error()", "b++"))
	p.line(depth, "%s = %s", pick(p, "a", "b", "l.N"), v+"%1000")
}

// children calls other functions.
func (p *durableProgram) children(depth int) {
	v, first, second, which := p.name(), p.number(), p.number(), pick(p, "All", "Any", "Select")
	if which == "Select" { // of equal children the fastest wins, so its number does not count
		p.point(depth, "%s, fail := durable.Select(ctx, durable.Forever, []string{\"none\"}, durable.Call(leafDurable, c, %s), durable.Call(leafDurable, c, %s))", v, first, first)
		p.line(depth, "if fail != nil {\ntext += \"!\"\n} else if n, bad := durable.As[int](%s); bad == nil {\na += n\n}", v)
		return
	}
	if which == "Any" {
		second = first // otherwise the fastest wins
	}
	p.point(depth, "%s, fail := durable.%s[int](ctx, durable.Call(leafDurable, c, %s), durable.Call(leafDurable, c, %s))", v, which, first, second)
	p.line(depth, "if fail != nil {\ntext += \"!\"\n}\ntext += fmt.Sprint(%s)", v)
}

// compound writes a statement with others inside.
func (p *durableProgram) compound(choice, depth int) {
	few := 1 + p.random.IntN(3)
	switch choice {
	case 13, 14:
		p.line(depth, "if %s%%3 %s %d {", p.number(), pick(p, "==", ">", "!="), p.random.IntN(3))
		p.block(few, depth+1)
		p.line(depth, "} else {")
		p.block(1, depth+1)
		p.line(depth, "}")
	case 15:
		p.line(depth, "switch %s %% 3 {\ncase 0:", p.number())
		p.block(few, depth+1)
		p.line(depth, "case 1:")
		p.block(1, depth+1)
		p.line(depth, "default:\nb++\n}")
	default:
		if p.loops == 2 {
			p.line(depth, "b += 2")
			return
		}
		p.loops++
		i := p.name()
		p.line(depth, pick(p, "for %s := range 2 {", "for %s := 0; %[1]s < 3; %[1]s++ {", "for _, %s := range [2]int{b, 2} {", "for _, %s := range []int{1, a} {"), i)
		p.line(depth+1, "a += %s", i)
		p.block(few, depth+1)
		if p.random.IntN(2) == 0 {
			p.line(depth+1, "if %s%%4 == 1 {\n%s\n}", p.number(), pick(p, "break", "continue"))
			p.block(1, depth+1)
		}
		p.line(depth, "}")
		p.loops--
	}
}

const durablePreamble = `package p

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable"
)

var _ = time.Minute

type clerk struct{}

var errOdd = durable.NewError("p.errOdd", "odd number")

type ledger struct {
	N    int
	Next *ledger
}

// sum visits a ledger, which may be a cycle, for a while.
func (l *ledger) sum() (sum int) {
	for range 9 {
		if l == nil {
			break
		}
		sum, l = 3*sum+l.N, l.Next
	}
	return sum % 10_000
}

//movenext:step
func (c *clerk) double(_ context.Context, n int) (int, error) { return 2 * n % 1000, nil }

//movenext:step
func (c *clerk) half(_ context.Context, n int) (int, error) {
	if n%2 != 0 {
		return n, fmt.Errorf("half of %d: %w", n, errOdd)
	}
	return n / 2, nil
}

//movenext:step
func (c *clerk) put(_ context.Context, n int, l, k *ledger, list []int) error {
	if (n+l.sum()+k.sum()+len(list))%4 == 1 {
		return errOdd
	}
	return nil
}

//movenext:step
func join(_ context.Context, list []string) (string, int, error) {
	return fmt.Sprint(list), len(list), nil
}

//movenext:step
func (c *clerk) undo(_ context.Context, n int) error {
	if n%3 == 0 {
		return fmt.Errorf("undo %d", n)
	}
	return nil
}

//movenext:durable name=leaf
func (c *clerk) leaf(ctx context.Context, n int) (m int, err error) {
	defer durable.Compensate(ctx, &err, c.undo, 1)
	n %= 20
	if n%4 == 1 {
		//movenext:point nap
		if err := durable.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		return n, nil
	}
	//movenext:point work
	return c.double(ctx, n)
}
`

const durableCases = `package p

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

func survives(t *testing.T, name string, f durable.Function[*clerk, int, string], plain func(*clerk, context.Context, int) (string, error)) {
	for _, in := range []int{0, 5} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				durabletest.CrashEverywhere(t, durabletest.Case[*clerk, int, string]{
					Function: f, Plain: plain, Receiver: func() *clerk { return &clerk{} }, Request: in,
					Signals: []durabletest.Signal{{Name: "n", Value: 3}, {Name: "n", Value: 4}},
					Serve:   func(e *durable.Engine, c *clerk) { durable.Serve(e, leafDurable, c) },
				})
			})
		})
	}
}

func TestPrograms(t *testing.T) {
`
