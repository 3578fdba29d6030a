package programs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Options choose the ingredients of programs.
type Options struct {
	// The size of all programs; 0: one of the sizes below.
	Functions  int // in addition to those that every program has
	Statements int // in a function

	// Forms that the generator does not lower yet, or not everywhere, are omitted unless
	// these options are set.
	LiteralsSuspend   bool // in literals that are called in place
	DefersSuspend     bool // in deferred calls
	RangeFuncsSuspend bool // in the bodies of loops over functions
}

// size is the size of a program.
type size struct {
	functions  int // in addition to the one that is run
	statements int // in each of them
	depth      int // of expressions in statements
}

// sizes of programs. Small programs find more in the same time, since compiling takes nearly all
// of it; large ones find defects that need many things to coincide.
var sizes = []size{
	{0, 2, 2}, {0, 2, 3}, {0, 3, 2}, {0, 3, 2}, {0, 3, 3}, {0, 4, 2},
	{1, 1, 2}, {1, 2, 2}, {1, 2, 3}, {1, 3, 2}, {0, 6, 3}, {2, 10, 3},
}

func (o Options) size(r *rand.Rand) size {
	s := sizes[r.IntN(len(sizes))]
	if o.Functions > 0 {
		s.functions = o.Functions
	}
	if o.Statements > 0 {
		s.statements = o.Statements
	}
	return s
}

// attempts is how many programs are written in order to find one that type-checks.
const attempts = 20

// Write writes the program of a seed: the source of a file of package batch. All its names begin
// with prefix, and the function prefix+"Run" runs it. The same arguments produce the same text.
// Write fails if none of its attempts type-checks, which is a defect of this package.
func Write(seed uint64, prefix string, o Options) (string, error) {
	var last error
	for attempt := range uint64(attempts) {
		w := &writer{r: rand.New(rand.NewPCG(seed, attempt)), options: o}
		w.size = o.size(w.r)
		w.program()
		var source string
		if source, last = Mend(strings.ReplaceAll(w.out.String(), "§", prefix)); last == nil {
			return source, nil
		}
	}
	return "", fmt.Errorf("programs: seed %d: %w", seed, last)
}

const unused = "declared and not used: "

// Mend adds uses of the variables that nothing reads, each on a line after the declaration: only
// at the end is it known which variables are read. It returns the first error that it cannot fix
// this way.
func Mend(source string) (string, error) {
	for range 3 {
		mentions := map[int]string{} // by line
		var other error
		for _, err := range Check(source) {
			name, ok := strings.CutPrefix(err.Msg, unused)
			if line := err.Fset.Position(err.Pos).Line; ok {
				mentions[line] += "\n_ = " + name
			} else if other == nil {
				other = err
			}
		}
		if other != nil || len(mentions) == 0 {
			return source, other
		}
		lines := strings.Split(source, "\n")
		for at, text := range mentions {
			lines[at-1] += text
		}
		source = strings.Join(lines, "\n")
	}
	return "", errors.New("variables stay unused")
}
