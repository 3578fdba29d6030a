package suite

import (
	"fmt"
	"math"
)

// Work is one task that all its contenders perform.
type Work struct {
	ID    string // short and unique: "W1"
	Title string // what is done, in a sentence without a verb
	Op    string // the name of one operation, in the singular
	N     int    // operations at full scale

	// Size turns a requested number of operations, n, into the argument of the contenders' runs
	// and the number of operations that they then perform: a tree cannot have any number of
	// nodes. Nil: both are n.
	Size func(n int) (arg, ops int)

	// Once reports that a run spends its time waiting, not working: it is neither warmed up nor
	// repeated within a process.
	Once bool

	// Spread names the parameters of a Setting that change this workload, in addition to its
	// size.
	Producers, Workers bool

	// Bases are the contenders that the others' times are divided by; the first
	// is plain Go.
	Bases []string

	// Added reports that the relevant figure is the difference of a contender's time and that of
	// the first base, instead of their ratio.
	Added bool

	// Guarded names the figures that must not grow, in addition to the time, from one
	// version to the next.
	Guarded []Measure

	// Targets are the figures that contenders of this library should reach.
	Targets []Target

	Contenders []Contender
}

// Contender is one way to run a workload.
type Contender struct {
	Name string
	Note string // what a reader of its figures should know

	// Most is the largest number of operations that it supports, 0 if there is no limit: a
	// goroutine for each of ten million waiting jobs does not fit into memory.
	Most int

	// Start prepares for runs in the given setting. stop undoes all of the preparation,
	// and blocks until that has ended.
	Start func(Setting) (run Run, stop func())
}

// Run runs the workload once, with an argument made by the workload's Size, and returns an
// error if the result is wrong. It is called by one goroutine at a time.
type Run func(m *Meter, arg int) error

// Measure is a figure of a run that can be compared.
type Measure string

// The measures. Bytes and Allocs are an operation's share of what was allocated,
// Memory is its share of the peak of the process's resident memory.
const (
	Time   Measure = "time"
	Bytes  Measure = "bytes"
	Allocs Measure = "allocs"
	Memory Measure = "memory"
)

// Shape returns Size's answer for n operations, at least one.
func (w *Work) Shape(n int) (arg, ops int) {
	n = max(1, n)
	if w.Size == nil {
		return n, n
	}
	return w.Size(n)
}

// Contender returns the contender of that name.
func (w *Work) Contender(name string) (*Contender, error) {
	for i := range w.Contenders {
		if w.Contenders[i].Name == name {
			return &w.Contenders[i], nil
		}
	}
	return nil, fmt.Errorf("suite: %s has no contender %q", w.ID, name)
}

// Square is the Size of two equal levels: each root has as many children as there are roots. Its
// argument is that number, and both roots and children count as operations.
func Square(n int) (arg, ops int) {
	arg = max(1, int(math.Round(math.Sqrt(float64(n)))))
	return arg, arg + arg*arg
}

// Tree is the Size of a tree with ten children a node and arg leaves: the
// power of ten that is nearest to n.
func Tree(n int) (arg, ops int) {
	arg, ops = 1, 1
	for arg*10 <= n*3 {
		arg *= 10
		ops += arg
	}
	return arg, ops
}

// Fibonacci is the Size of the recursion fib(arg) = fib(arg-1) + fib(arg-2): the
// greatest one with at most n additions, each of which is an operation.
func Fibonacci(n int) (arg, ops int) {
	arg, ops = 2, 1
	for before := 0; before+ops+1 <= n; arg++ {
		before, ops = ops, before+ops+1
	}
	return arg, ops
}
