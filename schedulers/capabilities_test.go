package schedulers_test

import (
	"context"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/simulation"
)

// capabilities are the optional interfaces of schedulers and of their workers.
var capabilities = []reflect.Type{
	reflect.TypeFor[dispatch.Admitter](),
	reflect.TypeFor[schedulers.Blocker](),
	reflect.TypeFor[schedulers.Consenter](),
	reflect.TypeFor[probe.Follower](),
	reflect.TypeFor[dispatch.HomeBlocker](),
	reflect.TypeFor[dispatch.InPlacer](),
	reflect.TypeFor[dispatch.Keeper](),
	reflect.TypeFor[schedulers.Layered](),
	reflect.TypeFor[dispatch.Leaver](),
	reflect.TypeFor[schedulers.Limiter](),
	reflect.TypeFor[schedulers.Meter](),
	reflect.TypeFor[dispatch.PanicHearer](),
	reflect.TypeFor[schedulers.Pumper](),
	reflect.TypeFor[dispatch.Reclaimer](),
	reflect.TypeFor[dispatch.Repeater](),
	reflect.TypeFor[schedulers.Shutdowner](),
	reflect.TypeFor[schedulers.Snapshotter](),
	reflect.TypeFor[dispatch.Successor](),
	reflect.TypeFor[schedulers.Timers](),
}

// schedulersByName returns a new scheduler of each kind.
func schedulersByName() map[string]scheduler {
	beneath := inline.New()
	all := map[string]scheduler{"inline": beneath}
	for _, kind := range everyscheduler.Kinds() {
		if kind.Name != "inline" {
			all[kind.Name] = kind.New(beneath)
		}
	}
	return all
}

// workerOf returns the worker that work of s receives.
func workerOf(t *testing.T, s scheduler) schedulers.Worker {
	t.Helper()
	got := make(chan schedulers.Worker, 1)
	require.NoError(t, s.Submit(receiver(got), schedulers.Hint{}))
	switch s := s.(type) {
	case *manual.Scheduler:
		s.RunAll()
	case *simulation.Scheduler:
		require.NoError(t, s.Run())
	}
	return <-got
}

// receiver is work that sends its worker.
type receiver chan schedulers.Worker

func (r receiver) Run(on schedulers.Worker) { r <- on }
func (receiver) Abandon(error)              {}

func TestTheTableOfCapabilitiesIsRight(t *testing.T) {
	all := schedulersByName()
	want := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		kinds := []reflect.Type{reflect.TypeOf(all[name]), reflect.TypeOf(workerOf(t, all[name]))}
		for _, c := range capabilities {
			if slices.ContainsFunc(kinds, func(kind reflect.Type) bool { return kind.Implements(c) }) {
				want[c.Name()] = append(want[c.Name()], name)
			}
		}
	}
	for name, s := range all {
		if name != "inline" { // the others are on top of it
			require.NoError(t, s.Shutdown(context.Background()), name)
		}
	}
	require.NoError(t, all["inline"].Shutdown(context.Background()))
	assert.Equal(t, want, readTable(t, slices.Sorted(maps.Keys(all))))
}

// readTable returns the schedulers that have an interface, according to the tables in the
// package comments.
func readTable(t *testing.T, all []string) map[string][]string {
	t.Helper()
	var text []byte
	for _, file := range []string{"doc.go", "../internal/dispatch/dispatch.go"} {
		table, err := os.ReadFile(file)
		require.NoError(t, err)
		text = append(text, table...)
	}
	table := map[string][]string{}
	row := ""
	for line := range strings.Lines(string(text)) {
		line, inTable := strings.CutPrefix(strings.TrimSpace(line), "//\t  ")
		if !inTable {
			row = ""
			continue
		}
		columns := regexp.MustCompile(` {2,}`).Split(line, -1)
		if columns[0] != "" {
			row = columns[0]
		}
		if len(columns) > 1 && row != "" {
			table[row] = append(table[row], strings.Split(strings.TrimSuffix(columns[len(columns)-1], ","), ", ")...)
		}
	}
	for row, names := range table {
		if names[0] == "all" {
			names = all
		} else if first, but := strings.CutPrefix(names[0], "all but "); but {
			names[0] = first
			names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
		}
		table[row] = names
	}
	return table
}
