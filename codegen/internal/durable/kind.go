package durable

import (
	"go/types"
	"sync"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Kind makes durable functions a kind of annotated functions: it is all that the driver knows of
// them. It belongs to one run.
type Kind struct {
	ws      *load.Workspace
	sources *load.Sources
	accept  []string // the functions whose changes are accepted
	strand  bool     // instances that cannot continue are left behind

	// what the search has found, in all packages
	steps      map[source.FuncKey]bool
	names      map[source.FuncKey]string // of durable functions
	migrations map[string][]migration    // by import path

	mu      sync.Mutex
	folders map[string]*folder // by path
}

// New returns the kind for a run. Accept names the functions whose changes are accepted; with
// strand, instances that cannot continue are left behind.
func New(ws *load.Workspace, sources *load.Sources, accept []string, strand bool) *Kind {
	return &Kind{
		ws: ws, sources: sources, accept: accept, strand: strand,
		steps: map[source.FuncKey]bool{}, names: map[source.FuncKey]string{}, migrations: map[string][]migration{},
		folders: map[string]*folder{},
	}
}

// Runtime returns the import path of the package that generated code names.
func (k *Kind) Runtime() string { return source.DurablePath }

func (k *Kind) isStep(fn *types.Func) bool { return k.steps[source.KeyOf(fn.Origin())] }

func (k *Kind) isDurable(fn *types.Func) bool {
	_, ok := k.names[source.KeyOf(fn.Origin())]
	return ok
}
