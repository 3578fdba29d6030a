package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// progress is a bar on a terminal, and nothing elsewhere.
type progress struct {
	w     io.Writer // nil: no bar
	name  string
	total int

	mu    sync.Mutex
	done  int
	shown int // in hundredths
}

func newProgress(w io.Writer, name string, total int) *progress {
	if !isTerminal(w) {
		w = nil
	}
	return &progress{w: w, name: name, total: total, shown: -1}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step counts one and redraws the bar when that changes it.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.w == nil {
		return
	}
	if now := p.done * 100 / p.total; now != p.shown {
		p.shown = now
		bar := strings.Repeat("█", now/4) + strings.Repeat("·", 25-now/4)
		fmt.Fprintf(p.w, "\r%-32s %s %3d%%", p.name, bar, now)
	}
}

// finish wipes the bar.
func (p *progress) finish() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\033[K")
	}
}
