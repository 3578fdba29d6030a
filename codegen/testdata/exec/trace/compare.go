package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/movenext/movenext/job"
)

// Program is one function in both its forms.
type Program struct {
	Name    string
	Reset   func() // sets what the program shares with others, before each run
	Plain   func(context.Context, *T) (int, error)
	Machine func(context.Context, *T) *job.Job[int]
}

// Verdict is what comparing the two forms of a program found.
type Verdict struct {
	Name       string
	Difference string // empty: there is none
}

// Compare runs programs, once plain and once as machines with each timing, and
// prints a Verdict for each on standard output, as JSON. It compares with the plain
// form in the same binary: no second one has to be built, and a program must not
// call a twin by name, since that would not be plain then.
func Compare(programs []Program) {
	out := json.NewEncoder(os.Stdout)
	for _, p := range programs {
		v := Verdict{Name: p.Name, Difference: p.difference()}
		if err := out.Encode(v); err != nil {
			panic(err)
		}
	}
}

func (p Program) difference() string {
	p.Reset()
	want := p.runPlain()
	for _, timing := range Timings {
		p.Reset()
		c := New(p.Name, p.Machine)
		if d := differs(want, c.report(timing)); d != "" {
			return fmt.Sprintf("%s: %s", timing, d)
		}
	}
	return ""
}

// runPlain runs the plain form on a goroutine of its own, where it may block, and
// where a Goexit ends nothing else.
func (p Program) runPlain() Report {
	home, elsewhere := newLoop(), newLoop()
	defer home.close()
	defer elsewhere.close()
	home.spread = true
	t := &T{Timing: Complete, Elsewhere: elsewhere, home: home}
	ended := make(chan string, 1)
	go func() {
		text := "goexit"
		defer func() {
			if v := recover(); v != nil {
				text = outcome(0, &job.PanicError{Value: v})
			}
			ended <- text
		}()
		n, err := p.Plain(t.context(), t)
		text = outcome(n, err)
	}()
	select {
	case text := <-ended:
		return Report{Case: p.Name, Lines: t.taken(), Outcome: text}
	case <-time.After(patience):
		return Report{Case: p.Name, Outcome: "hangs"}
	}
}

// taken is what has been logged so far.
func (t *T) taken() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// nilReceiver finds the name of a twin in the runtime's message about a value method that is
// called through an interface which holds a nil pointer. The runtime names the method that
// was called, and that of a machine has another name. docs/command.md says so, and nothing
// short of a check at each call could hide it.
var nilReceiver = regexp.MustCompile(`(value method \S+)Async( called using nil )`)

// differs names the first place in which a plain run and a run of machines differ.
func differs(want, got Report) string {
	for i := range max(len(want.Lines), len(got.Lines)) {
		a, b := "the end", "the end"
		if i < len(want.Lines) {
			a = want.Lines[i]
		}
		if i < len(got.Lines) {
			b = nilReceiver.ReplaceAllString(got.Lines[i], "$1$2")
		}
		if a != b {
			return fmt.Sprintf("line %d: plain %q, machine %q", i+1, a, b)
		}
	}
	if outcome := nilReceiver.ReplaceAllString(got.Outcome, "$1$2"); want.Outcome != outcome {
		return fmt.Sprintf("outcome: plain %q, machine %q", want.Outcome, outcome)
	}
	return ""
}

// Err is an error whose text says which.
func Err(n int) error {
	if n == 0 {
		return nil
	}
	return errors.New(fmt.Sprint("error ", n))
}
