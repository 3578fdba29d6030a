package programs

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// writer writes one program. Its methods return text or append statements to out.
type writer struct {
	r       *rand.Rand
	options Options
	size    size
	out     strings.Builder
	indent  int
	names   int // number of names used so far
	scope   *scope
	fn      *frame
	funcs   []signature // the functions that later code may call
	params  []typ       // the type parameters of the function being written, except for V
}

// signature is the signature of a function of the program, without its first parameter t.
type signature struct {
	name    string
	async   bool
	generic bool
	params  []typ
	results []typ
}

// frame is the state of the writer for its current function or literal.
type frame struct {
	up          *frame
	suspends    bool // suspending functions may be called here
	deferring   bool // defer statements are allowed
	results     []*variable
	types       []typ
	loops       []loop
	budget      int  // the number of statements that may still be written
	plainReturn bool // a return without values may be written
	run         bool // it is the function to run, with its context
}

// loop is an enclosing statement that can be left.
type loop struct {
	label     string
	named     bool // the label is used
	continues bool // it is a loop, not a switch or select
}

func (w *writer) chance(oneIn int) bool { return w.r.IntN(oneIn) == 0 }

func (w *writer) oneOf(list ...string) string { return list[w.r.IntN(len(list))] }

func itoa(n int) string { return strconv.Itoa(n) }

// line adds a line.
func (w *writer) line(format string, args ...any) {
	w.out.WriteString(strings.Repeat("\t", w.indent))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// aside writes with f into a separate text. The output of f may be needed before the preceding
// text is known.
func (w *writer) aside(f func()) string {
	outer := w.out.String()
	w.out.Reset()
	f()
	inner := w.out.String()
	w.out.Reset()
	w.out.WriteString(outer)
	return inner
}

// block writes statements in a new scope; the caller writes the braces.
func (w *writer) block(before func(), n int) {
	w.scope = &scope{up: w.scope}
	w.indent++
	if before != nil {
		before()
	}
	for range n {
		w.statement()
	}
	w.indent--
	w.scope = w.scope.up
}
