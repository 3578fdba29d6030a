package durabletest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

//go:generate go tool movenext .

// clerk has the steps of the programs below. What a step returns follows from its arguments
// alone, so that a repeated one changes nothing.
type clerk struct{ desk struct{ inner *clerk } }

var errOdd = durable.NewError("durabletest_test.errOdd", "durabletest_test: odd")

//movenext:step
func (c *clerk) double(_ context.Context, n int) (int, error) { return 2 * n, nil }

//movenext:step
func (c *clerk) half(_ context.Context, n int) (int, error) {
	if n%2 != 0 {
		return n, fmt.Errorf("half of %d: %w", n, errOdd)
	}
	return n / 2, nil
}

//movenext:step
func (c *clerk) put(_ context.Context, l *ledger, n int) error {
	if n < 0 {
		panic("negative")
	}
	return nil
}

//movenext:step
func join(_ context.Context, list []string) (string, int, error) {
	return fmt.Sprint(list), len(list), nil
}

//movenext:step
func (c *clerk) undo(context.Context, int) error { return errOdd }

// ledger is a list with a cycle.
type ledger struct {
	Sum  int
	Next *ledger
	Tags map[string][]int
}

// loops has each kind of loop, with jumps out of kept and of flattened statements.
//
//movenext:durable name=loops
func (c *clerk) loops(ctx context.Context, limit int) (sum int, err error) {
outer:
	for i := 0; i < limit; i++ { //nolint:intrange // the loop has to have three parts
		for j, s := range []string{"a", "bb", "ccc"} {
			n, err := c.double(ctx, i*10+j)
			if err != nil {
				return 0, err
			}
			switch {
			case n%6 == 0:
				continue
			case len(s) == 3 && i == 2:
				break outer
			case i == 1:
				continue outer
			}
			for k := range 3 {
				if k == 2 {
					break
				}
				sum += k
			}
			sum += n * len(s)
		}
	}
	for k := range uint8(3) {
		//movenext:point again
		n, err := c.double(ctx, int(k))
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

func TestLoops(t *testing.T) {
	survives(t, clerkLoops(0), clerkLoops(1), clerkLoops(4))
}

func clerkLoops(n int) durabletest.Case[*clerk, int, int] {
	return durabletest.Case[*clerk, int, int]{Function: loopsDurable, Plain: (*clerk).loops, Receiver: newClerk, Request: n}
}

func newClerk() *clerk {
	c := new(clerk)
	c.desk.inner = c
	return c
}

// survives runs cases everywhere.
func survives[S, Req, Res any](t *testing.T, cases ...durabletest.Case[S, Req, Res]) {
	t.Helper()
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 4)
		})
	}
}

// branches has an if with init and else, a switch with tag, fallthrough and default, blocks with
// a label, shadowed names, and a step of an object inside the receiver.
//
//movenext:durable name=branches
func (c *clerk) branches(ctx context.Context, n int) (string, error) {
	what := "none"
	if m, err := c.half(ctx, n); err != nil {
		what := err.Error()
		if !errors.Is(err, errOdd) {
			return what, nil
		}
		//movenext:point doubled
		n, err := c.desk.inner.double(ctx, m)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(what, n), nil
	} else if m > 100 {
		what = "large"
	} else {
		what = fmt.Sprint("small ", m)
	}
block:
	switch n := n % 10; n {
	case 8:
	default:
		switch n {
		case 0, 2:
			list := []string{what}
			text, size, err := join(ctx, list)
			list[0] = "changed"
			if err != nil || size == 0 {
				break block
			}
			what += text + list[0]
			fallthrough
		case 4:
			what += " four"
			break //nolint:staticcheck // it is to be taken apart, too
		default:
			what += " other"
			break block
		}
		var tail string
		//movenext:point tail
		tail, _, err := join(ctx, []string{what})
		if err != nil {
			return tail, err
		}
		what += tail
	}
	err := durable.Sleep(ctx, time.Hour)
	return what, err
}

func TestBranches(t *testing.T) {
	var cases []durabletest.Case[*clerk, int, string]
	for _, n := range []int{0, 1, 2, 4, 8, 300} {
		cases = append(cases, durabletest.Case[*clerk, int, string]{Function: branchesDurable, Plain: (*clerk).branches, Receiver: newClerk, Request: n})
	}
	survives(t, cases...)
}

// visits ranges over a map while it deletes from it and adds to it.
//
//movenext:durable name=visits
func (c *clerk) visits(ctx context.Context, m map[string]int) (string, error) {
	sum := map[string]int{}
	for k, v := range m {
		n, err := c.double(ctx, v)
		if err != nil {
			return "", err
		}
		sum[k] = n
		delete(m, k)
		delete(m, "never "+k)
		m["a"] = 1
		if len(sum) > 1 && k != "a" {
			continue
		}
	}
	first := ""
	for k := range map[[2]int8]bool{{1, 2}: true} {
		//movenext:point other
		if _, err := c.double(ctx, int(k[1])); err != nil {
			return "", err
		}
		first += fmt.Sprint(k)
	}
	return fmt.Sprint(sum, first), nil
}

func TestVisits(t *testing.T) {
	for _, m := range []map[string]int{nil, {"a": 3}, {"a": 1, "b": 2, "c": 3}} {
		if m == nil {
			m = map[string]int{}
		}
		survives(t, durabletest.Case[*clerk, map[string]int, string]{
			Function: visitsDurable, Plain: (*clerk).visits, Receiver: newClerk, Request: m,
		})
	}
}

// graph keeps pointers that share their referents.
//
//movenext:durable name=graph
func (c *clerk) graph(ctx context.Context, l *ledger) (sum int, err error) {
	other := l
	if l.Next == nil {
		l.Next = &ledger{Next: l, Tags: map[string][]int{"x": {1}}}
	}
	last := l.Next
	if err := c.put(ctx, l, 1); err != nil {
		return 0, err
	}
	other.Sum += 5
	last.Tags["y"] = append(last.Tags["y"], 7)
	//movenext:point second
	err = c.put(ctx, last, 2)
	sum = 1
	//movenext:point third
	if n, _ := c.double(ctx, l.Sum); n > 100 {
		return // the results as they are: sum is needed after the step
	}
	return l.Sum + len(l.Next.Tags) + last.Next.Sum, err
}

func TestGraph(t *testing.T) {
	survives(t, durabletest.Case[*clerk, *ledger, int]{Function: graphDurable, Plain: (*clerk).graph, Receiver: newClerk, Request: &ledger{Sum: 3}})
	survives(t, durabletest.Case[*clerk, *ledger, int]{Function: graphDurable, Plain: (*clerk).graph, Receiver: newClerk, Request: &ledger{Sum: 300}})
}

// undone defers in a loop; the compensations fail.
//
//movenext:durable name=undone
func (c *clerk) undone(ctx context.Context, list []int) (err error) {
	for i, n := range list {
		defer durable.Compensate(ctx, &err, c.undo, n*i)
		if n, err = c.half(ctx, n); err != nil { //nolint:staticcheck // the variable is one that exists
			return fmt.Errorf("at %d: %w", i, err)
		}
	}
	return nil
}

func TestUndone(t *testing.T) {
	for _, list := range [][]int{{}, {2, 4}, {2, 4, 5, 6}} {
		survives(t, durabletest.Case[*clerk, []int, struct{}]{
			Function: undoneDurable, Receiver: newClerk, Request: list,
			Plain: func(c *clerk, ctx context.Context, list []int) (struct{}, error) {
				return struct{}{}, c.undone(ctx, list)
			},
		})
	}
}

// signals receives values until it receives the order to stop.
//
//movenext:durable name=signals
func signals(ctx context.Context) (string, error) {
	var all []string
	var last error
	for len(all) < 10 {
		s, err := durable.Receive[string](ctx, "text", time.Hour)
		if err != nil {
			last = err
			break
		}
		if s == "stop" {
			//movenext:point end
			n, err := durable.Receive[int](ctx, "number", 0)
			return fmt.Sprint(all, n), err
		}
		all = append(all, s)
	}
	return fmt.Sprint(all), last
}

func TestSignals(t *testing.T) {
	a, b := durabletest.Signal{Name: "text", Value: "a"}, durabletest.Signal{Name: "text", Value: "b"}
	stop, five := durabletest.Signal{Name: "text", Value: "stop"}, durabletest.Signal{Name: "number", Value: 5}
	for _, list := range [][]durabletest.Signal{{a, five, b, stop}, {a, stop}, {b, a}} {
		survives(t, durabletest.Case[struct{}, struct{}, string]{
			Function: signalsDurable, Receiver: func() struct{} { return struct{}{} }, Signals: list,
			Plain: func(_ struct{}, ctx context.Context, _ struct{}) (string, error) { return signals(ctx) },
		})
	}
}
