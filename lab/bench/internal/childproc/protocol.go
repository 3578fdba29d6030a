package childproc

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/suite"
)

// Protocol is the version of the messages between drivers and children.
const Protocol = 1

// argument makes a command a child.
const argument = "movenext-benchmark-child"

// Request is a driver's request to a child.
type Request struct {
	Protocol int `json:"protocol"`

	// List asks for the workloads. The rest is then ignored.
	List bool `json:"list,omitempty"`

	Work      string       `json:"work,omitempty"`
	Contender string       `json:"contender,omitempty"`
	Plan      measure.Plan `json:"plan"`
}

// answer is a child's answer.
type answer struct {
	Sample measure.Sample `json:"sample"`
	Works  []Listing      `json:"works,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Listing is a workload as a driver sees it.
type Listing struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Op         string          `json:"op"`
	N          int             `json:"n"`
	Bases      []string        `json:"bases"`
	Guarded    []suite.Measure `json:"guarded,omitempty"`
	Contenders []string        `json:"contenders"`
}

// Serve is called first by the main function of a command that can be a child. args are
// the arguments of the process without its name. If they make it a child, Serve answers
// one request and returns true; the command then exits.
func Serve(args []string, in io.Reader, out io.Writer, works []*suite.Work) bool {
	if len(args) != 1 || args[0] != argument {
		return false
	}
	var r Request
	var a answer
	err := json.NewDecoder(in).Decode(&r)
	if err == nil {
		a, err = r.serve(works)
	}
	if err != nil {
		a.Error = err.Error()
	}
	text, err := json.Marshal(a)
	if err != nil {
		// A figure is NaN or infinite. The answer is made again with text only, which can always
		// be written.
		text, _ = json.Marshal(answer{Error: fmt.Sprintf("childproc: %v: %+v", err, a.Sample)})
	}
	// If it cannot be written, the driver has died, and the error has no reader.
	_, _ = out.Write(text)
	return true
}

func (r Request) serve(works []*suite.Work) (a answer, err error) {
	if r.Protocol != Protocol {
		return a, fmt.Errorf("childproc: the driver speaks version %d of the protocol, this binary version %d", r.Protocol, Protocol)
	}
	if r.List {
		a.Works = list(works)
		return a, nil
	}
	for _, w := range works {
		if w.ID != r.Work {
			continue
		}
		c, err := w.Contender(r.Contender)
		if err != nil {
			return a, err
		}
		a.Sample, err = measure.Run(w, c, r.Plan)
		return a, err
	}
	return a, fmt.Errorf("childproc: there is no work %q", r.Work)
}

func list(works []*suite.Work) (all []Listing) {
	for _, w := range works {
		l := Listing{ID: w.ID, Title: w.Title, Op: w.Op, N: w.N, Bases: w.Bases, Guarded: w.Guarded}
		for _, c := range w.Contenders {
			l.Contenders = append(l.Contenders, c.Name)
		}
		all = append(all, l)
	}
	return all
}

// shortenOutput returns the line of a crashed child's output that contains the reason.
func shortenOutput(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
