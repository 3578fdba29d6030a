package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/statemachine"
	"github.com/movenext/movenext/statemachine/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type secret struct{ error }

func (secret) String() string { panic("a method of the program's was called") }

// frame is one as `movenext explain` has it generated.
type frame struct {
	statemachine.Frame
	steps  record.Steps
	defers statemachine.Defers

	yes    bool
	n      int
	size   uint8
	ratio  float64
	text   string
	long   string
	list   []int
	none   map[string]int
	cell   *string
	err    error
	held   *frame
	call   func()
	closed secret
}

func recorded(t *testing.T, b *bytes.Buffer) []record.Step {
	t.Helper()
	var list []record.Step
	for decoder := json.NewDecoder(b); decoder.More(); {
		var s record.Step
		require.NoError(t, decoder.Decode(&s))
		list = append(list, s)
	}
	return list
}

func TestMachinesAreNumberedAsTheyStartAndKeepTheirNumberWhenTheyMove(t *testing.T) {
	var b bytes.Buffer
	record.To(&b)
	defer record.To(nil)
	var first, second frame
	first.steps.Begin(&first, "main.first", 0)
	second.steps.Begin(&second, "main.second", 0)
	first.steps.Line(&first, 7)
	first.steps.Suspend(&first, 2)
	moved := new(frame)
	*moved = first
	moved.steps.Begin(moved, "main.first", 2)
	moved.steps.Finish(moved)

	list := recorded(t, &b)
	require.Len(t, list, 6)
	base := list[0].Machine
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%d %s %s %d %d", s.Machine-base, s.Function, s.Event, s.State, s.Line))
	}
	assert.Equal(t, []string{
		"0 main.first start 0 0", "1 main.second start 0 0", "0 main.first line 0 7", "0 main.first suspend 2 0",
		"0 main.first resume 2 0", "0 main.first finish 2 0",
	}, got)
}

func TestValuesAreShownWithoutCallingTheirMethods(t *testing.T) {
	var b bytes.Buffer
	record.To(&b)
	defer record.To(nil)
	word := "cell"
	f := &frame{
		yes: true, n: -3, size: 4, ratio: 0.5, text: "a\"b", long: strings.Repeat("ä", 50),
		list: make([]int, 2), none: nil, defers: statemachine.Defers{}, closed: secret{}, cell: &word, err: secret{errors.New("x")}, held: &frame{}, call: func() {},
	}
	f.steps.Begin(f, "main.f", 0)
	var got []string
	for _, l := range recorded(t, &b)[0].Locals {
		got = append(got, l.Name+" "+l.Value)
	}
	assert.Equal(t, []string{
		"yes true", "n -3", "size 4", "ratio 0.5", `text "a\"b"`, `long "` + strings.Repeat("ä", 40) + `"…`,
		"list []int, 2 long", "none nil", `cell → "cell"`, "err record_test.secret", "held *record_test.frame",
		"call func()", "closed record_test.secret",
	}, got)
}

// broken is a writer that fails.
type broken struct{ calls int }

func (b *broken) Write([]byte) (int, error) {
	b.calls++
	return 0, os.ErrClosed
}

func TestARecordingThatCannotBeWrittenEnds(t *testing.T) {
	w := &broken{}
	record.To(w)
	defer record.To(nil)
	f := &frame{}
	f.steps.Begin(f, "main.f", 0)
	f.steps.Line(f, 1)
	assert.Equal(t, 1, w.calls)
}

func Example() {
	record.To(os.Stdout)
	defer record.To(nil)
	var machine struct {
		statemachine.Frame
		steps record.Steps
		n     int
	}
	machine.steps.Begin(&machine, "main.count", 0)
	machine.n = 1
	machine.steps.Line(&machine, 12)
	fmt.Println("the machine told its steps")
	// Output:
	// {"Machine":1,"Function":"main.count","Event":"start","State":0,"Line":0,"Locals":[{"Name":"n","Value":"0"}]}
	// {"Machine":1,"Function":"main.count","Event":"line","State":0,"Line":12,"Locals":[{"Name":"n","Value":"1"}]}
	// the machine told its steps
}
