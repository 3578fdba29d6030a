package childproc

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/suite"
)

// The test binary is its own child.
func TestMain(m *testing.M) {
	if Serve(os.Args[1:], os.Stdin, os.Stdout, childWorks()) {
		return
	}
	goleak.VerifyTestMain(m)
}

var held []byte

func childWorks() []*suite.Work {
	contender := func(name string, run suite.Run) suite.Contender {
		return suite.Plain(name, "", func(suite.Setting) suite.Run { return run })
	}
	return []*suite.Work{{
		ID: "T1", Title: "tests", Op: "test", N: 10, Bases: []string{"right"}, Guarded: []suite.Measure{suite.Bytes},
		Contenders: []suite.Contender{
			contender("right", func(m *suite.Meter, n int) error {
				m.Report("procs", float64(runtime.GOMAXPROCS(0)))
				return suite.Check(n, 7)
			}),
			contender("absurd", func(m *suite.Meter, _ int) error {
				m.Report("sheep", math.NaN())
				return nil
			}),
			contender("wrong", func(*suite.Meter, int) error { return suite.Check(1, 2) }),
			contender("crashing", func(*suite.Meter, int) error {
				_, _ = os.Stderr.WriteString("a word before\n")
				panic("at the disco")
			}),
			contender("sleeping", func(*suite.Meter, int) error {
				time.Sleep(time.Hour)
				return nil
			}),
			contender("hungry", func(*suite.Meter, int) error {
				held = bytes.Repeat([]byte{1}, 500_000_000)
				time.Sleep(time.Hour)
				return nil
			}),
			contender("environment", func(*suite.Meter, int) error {
				return suite.Check(os.Getenv("GOGC")+" "+os.Getenv("GOMEMLIMIT"), "33 ")
			}),
		},
	}}
}

func self(t *testing.T) Binary {
	t.Helper()
	return Binary{Path: os.Args[0], Limit: time.Minute}
}

func try(t *testing.T, b Binary, contender string) (Result, error) {
	t.Helper()
	return b.Run(t.Context(), Request{Work: "T1", Contender: contender, Plan: measure.Plan{N: 7, Reps: 1}})
}

func TestAChildMeasuresWithTheProcessorsThatItIsGiven(t *testing.T) {
	for _, procs := range []int{1, 3} {
		b := self(t)
		b.Procs = procs
		r, err := try(t, b, "right")
		require.NoError(t, err)
		assert.Equal(t, 7, r.Ops)
		assert.Equal(t, map[string]float64{"procs": float64(procs)}, r.Values)
		if runtime.GOOS == "linux" {
			assert.GreaterOrEqual(t, r.Foreign, 0.0)
		}
	}
}

func TestAChildsCollectorIsSetByTheDriverAlone(t *testing.T) {
	t.Setenv("GOGC", "off")
	t.Setenv("GOMEMLIMIT", "100MiB")
	b := self(t)
	b.GOGC = "33"
	_, err := try(t, b, "environment")
	assert.NoError(t, err)
}

func TestAWrongResultOfAChildIsAnError(t *testing.T) {
	_, err := try(t, self(t), "wrong")
	assert.EqualError(t, err, "measure: T1, wrong: suite: the result is 1, where 2 is right")
}

func TestAFigureThatIsNoNumberIsAnError(t *testing.T) {
	_, err := try(t, self(t), "absurd")
	assert.ErrorContains(t, err, "sheep:NaN")
}

func TestACrashOfAChildIsToldInOneLine(t *testing.T) {
	_, err := try(t, self(t), "crashing")
	assert.EqualError(t, err, "childproc: exit status 2: panic: at the disco")
}

func TestAChildThatTakesTooLongIsEnded(t *testing.T) {
	b := self(t)
	b.Limit = time.Second
	_, err := try(t, b, "sleeping")
	assert.ErrorIs(t, err, ErrTooLong)
}

func TestAChildEndsWithItsDriversContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := self(t).Run(ctx, Request{Work: "T1", Contender: "sleeping"})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAChildThatOutgrowsItsMemoryIsEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // other systems do not tell
	}
	b := self(t)
	b.Memory = 200_000_000
	_, err := try(t, b, "hungry")
	assert.ErrorIs(t, err, ErrTooMuch)
	assert.ErrorContains(t, err, "more than 200 MB")
	_, err = try(t, b, "right")
	assert.NoError(t, err)
}

func TestAChildListsItsWorks(t *testing.T) {
	works, err := self(t).Works(t.Context())
	require.NoError(t, err)
	require.Len(t, works, 1)
	assert.Equal(t, "T1", works[0].ID)
	assert.Equal(t, []string{"right"}, works[0].Bases)
	assert.Equal(t, []suite.Measure{suite.Bytes}, works[0].Guarded)
	assert.Contains(t, works[0].Contenders, "crashing")
}

func TestAChildRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, refused := range []struct {
		request Request
		because string
	}{
		{Request{Protocol: Protocol + 1}, "childproc: the driver speaks version 2 of the protocol, this binary version 1"},
		{Request{Protocol: Protocol, Work: "T2"}, `childproc: there is no work "T2"`},
		{Request{Protocol: Protocol, Work: "T1", Contender: "nobody"}, `suite: T1 has no contender "nobody"`},
	} {
		question, err := json.Marshal(refused.request)
		require.NoError(t, err)
		var out bytes.Buffer
		require.True(t, Serve([]string{argument}, bytes.NewReader(question), &out, childWorks()))
		var a answer
		require.NoError(t, json.Unmarshal(out.Bytes(), &a))
		assert.Equal(t, refused.because, a.Error)
	}
}

func TestACommandThatIsNoChildIsLeftAlone(t *testing.T) {
	for _, args := range [][]string{nil, {"-works", "W1"}, {argument, "more"}} {
		assert.False(t, Serve(args, strings.NewReader(""), nil, nil))
	}
}

func TestABinaryThatIsNoBenchmarkIsAnError(t *testing.T) {
	_, err := Binary{Path: "no such file"}.Works(t.Context())
	assert.Error(t, err)
}
