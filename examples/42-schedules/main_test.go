package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play records the lesson of that name.
func play(t *testing.T, name string) *record.Recording {
	t.Helper()
	i := slices.IndexFunc(lessons, func(l lesson) bool { return l.Name == name })
	require.GreaterOrEqual(t, i, 0)
	r, err := lessons[i].record(context.Background(), filepath.Join(t.TempDir(), "x.rec"))
	require.NoError(t, err)
	return r
}

// names returns the names of the subjects of a kind of event, in order.
func names(r *record.Recording, k schedulers.EventKind) (all []string) {
	for _, e := range r.Events {
		if e.Work == k {
			all = append(all, r.Subjects[e.Subject].Name)
		}
	}
	return all
}

// counts returns the counts of the events of a kind.
func counts(r *record.Recording, k schedulers.EventKind) (all []int) {
	for _, e := range r.Events {
		if e.Work == k {
			all = append(all, e.Count)
		}
	}
	return all
}

// notes returns how many notes have the text in them.
func notes(r *record.Recording, text string) (n int) {
	for _, e := range r.Events {
		if strings.Contains(e.Note, text) {
			n++
		}
	}
	return n
}

func TestGlobalAndLocal(t *testing.T) {
	assert.Equal(t, []string{"outer", "t2", "t1", "t3", "t4"}, names(play(t, "global-and-local"), schedulers.Begun))
}

func TestAllOrders(t *testing.T) {
	begun := names(play(t, "all-orders"), schedulers.Begun)
	orders := map[string]bool{}
	for order := range slices.Chunk(begun, 3) {
		orders[strings.Join(order, " ")] = true
	}
	assert.Len(t, orders, 6)
}

func TestInlining(t *testing.T) {
	r := play(t, "inlining")
	assert.Equal(t, []string{"data1", "data2", "data3"}, names(r, schedulers.Inlined))
	assert.Equal(t, []string{"outer"}, names(r, schedulers.Begun))
}

func TestInjection(t *testing.T) {
	assert.NotEmpty(t, counts(play(t, "injection"), schedulers.Injected))
}

func TestHillClimbing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two seconds")
	}
	curves := map[string]int{}
	for _, e := range play(t, "hill-climbing").Events {
		curves[e.Curve]++
	}
	assert.Greater(t, curves["workers"], 1)
	assert.Equal(t, curves["workers"], curves["reads a second"])
}

func TestProcessors(t *testing.T) {
	r := play(t, "processors")
	assert.Len(t, names(r, schedulers.Ended), 12)
	assert.NotZero(t, notes(r, "takes from the global queue"))
	for _, e := range r.Events {
		if e.Work == schedulers.Submitted {
			outside := strings.HasPrefix(r.Subjects[e.Subject].Name, "outside")
			assert.Equal(t, outside, e.Queue == 0)
		}
	}
}

func TestTick61(t *testing.T) {
	r := play(t, "tick-61")
	assert.GreaterOrEqual(t, notes(r, "every 61st time"), 3)
	begun := names(r, schedulers.Begun)
	last := slices.Index(begun, "outside3")
	assert.Positive(t, last)
	assert.Less(t, last, len(begun)-1, "it runs before the job that feeds itself has ended")
}

func TestStealingHalf(t *testing.T) {
	assert.Equal(t, []int{3, 2, 1, 1}, counts(play(t, "stealing-half"), schedulers.Stolen))
}

func TestHandOff(t *testing.T) {
	r := play(t, "hand-off")
	assert.NotZero(t, notes(r, "hands its processor on"))
	assert.Len(t, names(r, schedulers.Blocked), 1)
}

func TestRoundRobin(t *testing.T) {
	r := play(t, "round-robin")
	begun := names(r, schedulers.Begun)
	assert.Less(t, slices.Index(begun, "small4"), slices.Index(begun, "large12"))
}

func TestUserMode(t *testing.T) {
	r := play(t, "ums")
	for _, text := range []string{"startup", "yielded, with parameter counted to 1", "blocked", "from the completion list", "executes worker", "cleans up worker"} {
		assert.NotZero(t, notes(r, text), text)
	}
}

func TestTheCommandWritesAPageForEachLesson(t *testing.T) {
	if testing.Short() {
		t.Skip("one of the lessons takes two seconds")
	}
	folder := filepath.Join(t.TempDir(), "schedules")
	var out bytes.Buffer
	require.NoError(t, write(context.Background(), folder, &out))
	text, err := os.ReadFile(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	for _, l := range lessons {
		assert.Contains(t, out.String(), l.Name+".html: "+l.Title)
		assert.Contains(t, string(text), `href="`+l.Name+`.html"`)
		page, err := os.ReadFile(filepath.Join(folder, l.Name+".html"))
		require.NoError(t, err)
		assert.Contains(t, string(page), `"title":"`+l.Title)
	}
	require.Error(t, write(context.Background(), filepath.Join(folder, "index.html"), &out), "it is not a folder")
}
