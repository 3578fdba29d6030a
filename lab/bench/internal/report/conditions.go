package report

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// Conditions are the circumstances, besides the contender, on which a figure depends. They are
// printed with every table.
type Conditions struct {
	Machine string        `json:"machine"`
	Go      string        `json:"go"`
	Procs   int           `json:"gomaxprocs"`
	GOGC    string        `json:"gogc"`
	Rounds  int           `json:"rounds"`
	Reps    int           `json:"reps"`
	Scale   int           `json:"scale"` // the divisor of the workloads' sizes
	Nap     time.Duration `json:"nap"`
}

// Here returns the part of the conditions that this machine and this binary determine.
func Here() Conditions {
	return Conditions{Machine: machine(), Go: runtime.Version(), Procs: runtime.NumCPU()}
}

// machine describes the processor.
func machine() string {
	what := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return what
	}
	_, rest, found := strings.Cut(string(info), "model name")
	if !found {
		return what
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimLeft(line, " \t:") + ", " + what
}

// Write writes the conditions as a paragraph.
func (c Conditions) Write(out io.Writer) {
	c.write(out, fmt.Sprintf("medians of %d rounds", c.Rounds))
}

// Compared is Write for figures of pairs instead of rounds.
func (c Conditions) Compared(out io.Writer, pairs int) {
	c.write(out, fmt.Sprintf("medians of %d pairs", pairs))
	fmt.Fprintln(out)
}

func (c Conditions) write(out io.Writer, medians string) {
	fmt.Fprintf(out, "%s; %s, GOMAXPROCS=%d, GOGC=%s; %s, each the best of %d repetitions in a process of its own",
		c.Machine, c.Go, c.Procs, c.GOGC, medians, c.Reps)
	if c.Scale > 1 {
		fmt.Fprintf(out, "; **scaled down by %d**", c.Scale)
	}
	fmt.Fprintln(out, ".")
}
