package explain

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/movenext/movenext/codegen"
)

// Step is one step of a recording, as package statemachine/record writes it.
type Step struct {
	Machine  int64
	Function string
	Event    string
	State    int32
	Line     int
	Locals   []struct{ Name, Value string }
}

// ReadRecording reads a recording to its end. The error names the step that cannot be read.
func ReadRecording(r io.Reader) ([]Step, error) {
	var steps []Step
	decoder := json.NewDecoder(r)
	for {
		var s Step
		err := decoder.Decode(&s)
		if err == io.EOF {
			return steps, nil
		}
		if err != nil {
			return nil, fmt.Errorf("explain: reading step %d of a recording: %w", len(steps)+1, err)
		}
		steps = append(steps, s)
	}
}

// shownStep is a step of a machine that is shown.
type shownStep struct {
	At int // index of the machine's function
	Step
}

// longestRun is the maximum number of steps on a page; longer runs are cut off.
const longestRun = 2000

// locate finds the machines of the steps. It omits steps of functions that are not shown, and
// steps on the same line as the step before.
func locate(machines []*codegen.Machine, steps []Step) []shownStep {
	index := map[string]int{}
	for i, m := range machines {
		index[m.Function] = i
	}
	list := []shownStep{}
	for _, s := range steps {
		i, shown := index[s.Function]
		if !shown {
			continue
		}
		if n := len(list); n > 0 && s.Event == "line" && list[n-1].Event == "line" && list[n-1].Machine == s.Machine && list[n-1].Line == s.Line {
			continue
		}
		if len(list) == longestRun {
			break
		}
		list = append(list, shownStep{i, s})
	}
	return list
}
