package inspect

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// Dump writes a [Snapshot] as text: the chains of functions in which machines are
// suspended, with counts, as the goroutine profile does; the locks; the cycles.
// It returns the error of w. It blocks as long as w does, and is safe for
// concurrent use.
func Dump(w io.Writer) error { return Snapshot().write(w) }

func (r *Report) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	if !r.Tracking {
		fmt.Fprintln(b, "movenext: machines are not tracked; call inspect.Track")
		return b.Flush()
	}
	fmt.Fprintf(b, "movenext: %d suspended %s at %d %s\n", r.Suspended, plural(r.Suspended, "machine"), len(r.Groups), plural(len(r.Groups), "place"))
	for _, c := range r.Cycles {
		c.write(b)
	}
	for i := range r.Groups {
		r.Groups[i].write(b)
	}
	r.writeJobs(b)
	if len(r.Locks) > 0 {
		fmt.Fprintln(b, "\nlocks:")
	}
	for i, l := range r.Locks {
		if i == dumpedLocks {
			fmt.Fprintf(b, "\t%d more\n", len(r.Locks)-i)
			break
		}
		fmt.Fprintf(b, "\t%s, held by %s: %d %s\n", l.What, orUnknown(l.Holder), l.Waiters, plural(l.Waiters, "waiter"))
	}
	return b.Flush()
}

const (
	dumpedLocks = 50
	dumpedJobs  = 50
)

func (r *Report) writeJobs(w io.Writer) {
	if len(r.Jobs) > 0 {
		fmt.Fprintln(w, "\njobs that are not suspended:")
	}
	for i := range r.Jobs {
		if i == dumpedJobs {
			fmt.Fprintf(w, "\t%d more\n", len(r.Jobs)-i)
			break
		}
		r.Jobs[i].write(w)
	}
}

func (c Cycle) write(w io.Writer) {
	fmt.Fprintf(w, "\ncycle of %d machines, which never ends:\n", len(c))
	for _, l := range c {
		fmt.Fprintf(w, "\t%s waits for %s%s, since %v\n\t\t%s\n", orUnknown(l.Name), l.Waits, holderSuffix(l.Holder), round(l.Since), formatPlace(l.Place))
	}
}

func (p *Group) write(w io.Writer) {
	verb := "wait"
	if p.Count == 1 {
		verb = "waits"
	}
	fmt.Fprintf(w, "\n%d %s %s: %s\n", p.Count, plural(p.Count, "machine"), verb, p.Waits)
	for _, f := range p.Stack {
		fmt.Fprintf(w, "\t%s\n\t\t%s\n", printed(f.Function), formatLine(f))
	}
	if p.More > 0 {
		fmt.Fprintf(w, "\t%d more\n", p.More)
	}
	fmt.Fprintf(w, "\tthe oldest since %v; for example %s: %s%s\n", round(p.Oldest), orUnknown(p.Example.Name), p.Example.Waits, holderSuffix(p.Example.Holder))
}

func holderSuffix(holder string) string {
	if holder == "" {
		return ""
	}
	return ", held by " + holder
}

func orUnknown(name string) string {
	if name == "" {
		return "unknown"
	}
	return name
}

// formatPlace returns function, file and line as one text.
func formatPlace(p schedulers.Place) string { return printed(p.Function) + " " + formatLine(p) }

// printed returns the name of a function or a file for a report. A line directive names any file.
func printed(name string) string { return truncate.Text(name, 1<<10) }

func formatLine(p schedulers.Place) string {
	if p.File == "" {
		return "a line that is not known"
	}
	return fmt.Sprintf("%s:%d", printed(p.File), p.Line)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// OnSignal makes [Dump] write to standard error when the program receives sig. If sig is a quit
// signal (syscall.SIGQUIT), it is then passed on: the Go runtime prints its goroutines and ends
// the program, as it does without OnSignal. stop undoes OnSignal, and may be called more than
// once. Until then OnSignal holds a goroutine. It does not block.
func OnSignal(sig os.Signal) (stop func()) { return onSignal(sig, os.Stderr, raise) }

// onSignal is OnSignal with the writer, and the function that passes a signal on.
func onSignal(sig os.Signal, w io.Writer, sendOn func(os.Signal)) (stop func()) {
	signals, stopped, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, sig)
	go func() {
		defer close(ended)
		for {
			select {
			case <-signals:
			case <-stopped:
				return
			}
			if err := Dump(w); err != nil {
				fmt.Fprintln(os.Stderr, "movenext:", err)
			}
			if sig.String() == "quit" { // package syscall does not name it on all systems
				signal.Stop(signals)
				sendOn(sig)
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(signals)
		close(stopped)
		<-ended
	})
}

// raise sends the signal to this process.
func raise(sig os.Signal) {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(sig)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "movenext:", err)
	}
}
