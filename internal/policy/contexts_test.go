package policy

import (
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// # A nil context is context.Background
//
// The functions below call everything in the runtime that takes a context, with nil and
// with context.Background. Both must give the same results, in both forms. The list of
// functions is read from the source, so a new function cannot be forgotten.

// notes has the results of the calls, in order, by the name of the function.
type notes struct {
	mu   sync.Mutex
	said map[string][]string
}

// of records the results of the function of that name.
func (n *notes) of(name string) func(results ...any) {
	return func(results ...any) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.said == nil {
			n.said = map[string][]string{}
		}
		n.said[name] = append(n.said[name], fmt.Sprint(results...))
	}
}

// soon calls f while its caller waits, or before that.
func soon(f func()) { time.AfterFunc(time.Millisecond, f) }

// broadcast wakes the waiter for c, even if it does not wait yet: the waiter holds the
// lock until it does.
func broadcast(c *coord.Cond) {
	_ = c.L.Lock(context.Background())
	c.Broadcast()
	c.L.Unlock()
}

// byMachines are the parts of package statemachine that take a context: the
// contexts of the machines below are nil too.
var byMachines = []string{
	"statemachine.Builder.Start",
	"statemachine.Calling",
	"statemachine.Completed",
	"statemachine.DeferSwitch",
	"statemachine.DoWithLabels",
	"statemachine.Plain",
	"statemachine.SetGoroutineLabels",
	"statemachine.Sleep",
	"statemachine.Spawned.Suspend",
	"statemachine.Stream",
	"statemachine.Run.Host",
	"statemachine.Run.Push",
	"statemachine.Run.Watch",
}

func TestANilContextIsBackground(t *testing.T) {
	var want, plain, machine notes
	var none context.Context
	for _, group := range []struct {
		plain   func(context.Context, *notes)
		machine func(context.Context, *notes) *job.Job[job.Void]
	}{
		{locks, locksAsync},
		{events, eventsAsync},
		{channels, channelsAsync},
		{objects, objectsAsync},
		{sharedWork, sharedWorkAsync},
		{jobs, jobsAsync},
		{continuations, continuationsAsync},
		{streams, streamsAsync},
		{pauses, pausesAsync},
		{loops, loopsAsync},
		{foreign, foreignAsync},
		{sockets, socketsAsync},
		{buffers, buffersAsync},
		{simulated, simulatedAsync},
		{contexts, contextsAsync},
		{shutdowns, shutdownsAsync},
		{durables, durablesAsync},
	} {
		group.plain(context.Background(), &want)
		group.plain(none, &plain)
		_, err := group.machine(none, &machine).Wait(none)
		require.NoError(t, err)
	}
	assert.Equal(t, want.said, plain.said)
	assert.Equal(t, want.said, machine.said)

	for _, name := range takers(t) {
		form := strings.TrimSuffix(name, "Enter")
		if want.said[form] == nil && !slices.Contains(byMachines, name) {
			t.Errorf("%s takes a context, and no test gives it a nil one: add a call above", name)
		}
	}
}

// takers returns the exported functions of the runtime that take a context, as
// package.Function or package.Type.Method.
func takers(t *testing.T) (names []string) {
	tree, err := repository()
	require.NoError(t, err)
	for _, f := range tree.Main() {
		if f.Test || !inRuntime(f.Dir) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !takesContext(fn) {
				continue
			}
			if !ast.IsExported(funcName(fn)) {
				continue // a method of a type that is not exported
			}
			names = append(names, f.Syntax.Name.Name+"."+funcName(fn))
		}
	}
	slices.Sort(names)
	require.NotEmpty(t, names)
	return slices.Compact(names) // files for several systems declare the same
}

// inRuntime reports whether a folder has packages that become part of users'
// programs.
func inRuntime(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return !slices.Contains([]string{"internal", "examples", "docs", "codegen", "tools"}, top) && dir != "schedulers/schedulertest" && !strings.Contains(dir, "/internal/")
}

func takesContext(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		s, ok := p.Type.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Context" {
			return false
		}
		pkg, ok := s.X.(*ast.Ident)
		return ok && pkg.Name == "context"
	})
}
