package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// patience is how long a run may take before it reports that it is still running.
const patience = time.Second

// patienceElsewhere is the same when go generate, make or a server reads the output.
const patienceElsewhere = 2 * time.Second

// progress is the line that shows a person at a terminal that a long run is advancing. It
// overwrites itself, and disappears when the run ends. If the output goes to a program or a
// file, a long run reports only once what takes long.
type progress struct {
	w     io.Writer // nil: there is none
	once  bool      // w is not a terminal
	timer *time.Timer

	mu    sync.Mutex
	text  string // what to print
	shown string // what the line shows now
	late  bool   // the wait is over: print
}

// newProgress returns a progress line on w that appears after wait, or after elsewhere if w
// is not a terminal.
func newProgress(w io.Writer, wait, elsewhere time.Duration) *progress {
	p := &progress{w: w, once: !isTerminal(w)}
	if _, ok := w.(*os.File); !ok {
		p.w = nil // another part of this program
	}
	if p.once {
		wait = elsewhere
	}
	p.timer = time.AfterFunc(wait, p.appear)
	return p
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step reports that done of all steps are done; all is 0 while packages are loading.
func (p *progress) step(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = "movenext: loading packages"
	if all > 0 {
		p.text = fmt.Sprintf("movenext: generating, %d %%", 100*done/all)
	}
	p.show()
}

func (p *progress) appear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late = true
	p.show()
}

func (p *progress) show() {
	if p.w == nil || !p.late || p.text == p.shown {
		return
	}
	if p.once {
		if p.shown == "" {
			fmt.Fprintf(p.w, "%s; a first run looks at everything, later ones at what has changed\n", p.text)
		}
		p.shown = p.text
		return
	}
	// The rest of a longer text is overwritten with spaces: not every terminal knows
	// the sequence that clears a line.
	fmt.Fprintf(p.w, "\r%s%s", p.text, strings.Repeat(" ", max(0, len(p.shown)-len(p.text))))
	p.shown = p.text
}

// clear removes the line for good.
func (p *progress) clear() {
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.shown != "" && !p.once {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", len(p.shown)))
	}
	p.w = nil
}
