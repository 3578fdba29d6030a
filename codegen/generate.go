package codegen

import (
	"go/token"
	"sync"

	"github.com/movenext/movenext/codegen/internal/cache"
	"github.com/movenext/movenext/codegen/internal/durable"
	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Result is the outcome of a run.
type Result struct {
	// Files are the generated files of the matched packages and those that are no
	// longer generated, by path.
	Files []FileChange

	// Diagnostics are all findings, by position. A folder with a finding keeps its files.
	Diagnostics []Diagnostic

	// Warnings concern correct source that may block where nothing suspends, by
	// position. They do not keep anything from being written.
	Warnings []Diagnostic

	// Accepted lists what Config.Accept has accepted, one line each.
	Accepted []string

	// Held are folders without findings whose files were not written either,
	// because they import a package with findings: the new code might call twins
	// that do not exist.
	Held []Held
}

// Held is a folder whose files wait until another package is corrected.
type Held struct {
	Package string // import path
	Because string // import path of a package with findings
}

// Stale lists the files that differ from what a run would leave.
func (r *Result) Stale() []FileChange {
	var stale []FileChange
	for _, f := range r.Files {
		if f.Change != Unchanged {
			stale = append(stale, f)
		}
	}
	return stale
}

// Generate writes the twins of all annotated functions in the packages that patterns
// match ("./..." if there are none), and removes generated files whose source no longer
// has an annotation.
//
// Findings about the source are not an error: the Result has all of them, and the files
// of a folder with findings stay as they are. An error means that no package could be
// examined: the go command failed, or a pattern matches no package. Generate blocks until
// everything is written. It changes only generated files, each atomically, so it is safe
// to run twice at the same time.
func Generate(cfg Config, patterns ...string) (*Result, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	results := cfg.cache(patterns)
	if run, ok := results.Lookup(); ok {
		return cachedResult(run), nil
	}
	cfg.progress(0, 0)
	ws, err := load.List(cfg.settings(), token.NewFileSet(), patterns)
	if err != nil {
		return nil, err
	}
	r := newRun(&cfg, ws)
	r.cache, r.patterns = results, patterns
	result, err := r.do()
	if err != nil {
		return nil, err
	}
	if done, ok := result.toKeep(cfg.DryRun); ok {
		results.Keep(ws, done)
	}
	return result, nil
}

// tryRun runs another translator, without a cache, and writes nothing. With an error there is no
// result.
func tryRun(cfg *Config, t translator, patterns []string) (*run, *Result, error) {
	cfg.DryRun = true
	ws, err := load.List(cfg.settings(), token.NewFileSet(), patterns)
	if err != nil {
		return nil, nil, err
	}
	r := newRun(cfg, ws)
	r.override = t
	result, err := r.do()
	return r, result, err
}

// cachedResult returns the result of a run that the cached run makes unnecessary.
func cachedResult(run *cache.Run) *Result {
	result := &Result{Warnings: published(run.Warnings)}
	for _, f := range run.Outputs {
		result.Files = append(result.Files, FileChange{Path: f.Path, Change: Unchanged, Data: f.Data})
	}
	return result
}

// toKeep returns the result in the cache's form, and whether it may be cached. It may not
// if there are findings, or files that a dry run would have changed.
func (r *Result) toKeep(dryRun bool) (*cache.Run, bool) {
	if len(r.Diagnostics) > 0 || len(r.Held) > 0 || dryRun && len(r.Stale()) > 0 {
		return nil, false
	}
	run := &cache.Run{}
	for _, d := range r.Warnings {
		run.Warnings = append(run.Warnings, source.Diagnostic(d))
	}
	for _, f := range r.Files {
		if f.Change != Removed {
			run.Outputs = append(run.Outputs, cache.File{Path: f.Path, Data: f.Data})
		}
	}
	return run, true
}

// run is the state of one Generate.
type run struct {
	cfg     *Config
	ws      *load.Workspace
	sources *load.Sources
	finder  *load.Finder
	checker *load.Checker
	other   kind
	targets []*target
	cache   *cache.Cache // nil: none

	patterns []string

	mu       sync.Mutex
	findings map[string][]source.Diagnostic // by folder
	override translator                     // nil: the one of the mode
	done     int                            // targets that have ended a pass, over all passes
}

func newRun(cfg *Config, ws *load.Workspace) *run {
	sources := load.NewSources(ws)
	return &run{
		cfg: cfg, ws: ws, sources: sources, findings: map[string][]source.Diagnostic{},
		other: durable.New(ws, sources, cfg.Accept, cfg.Strand),
	}
}

func (r *run) do() (*Result, error) {
	if err := r.generate(); err != nil {
		return nil, err
	}
	if err := r.other.Settle(r.folders(), r.report); err != nil && len(r.findings) == 0 {
		return nil, err
	}
	return r.finish(), nil
}

// generate computes the outputs and findings of all folders.
func (r *run) generate() error {
	r.finder = load.Find(r.ws, r.sources, r.other)
	if r.findTargets(); len(r.targets) == 0 {
		return nil
	}
	if err := r.ws.Add(r.finder.Runtime()...); err != nil {
		return err
	}
	r.recall()
	r.checker = load.NewChecker(r.finder, variants(r.targets))
	r.pass((*run).lowerTarget)
	for dir, found := range r.checker.Overrides() {
		r.report(dir, found...)
	}
	// Generated code may import packages that are not in the list. The list must not
	// change while packages are type-checked, so this is a separate step.
	if err := r.ws.Add(r.outputImports()...); err != nil {
		return err
	}
	r.pass((*run).verify)
	r.checkElsewhere()
	r.remember()
	return nil
}

// passes is the number of passes over the targets in a run: lowerTarget and verify.
const passes = 2

// pass calls step for all targets in parallel.
func (r *run) pass(step func(*run, *target)) {
	var wg sync.WaitGroup
	for _, t := range r.targets {
		wg.Go(func() {
			step(r, t)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.done++
			r.cfg.progress(r.done, passes*len(r.targets))
		})
	}
	wg.Wait()
}

func (r *run) report(dir string, found ...source.Diagnostic) {
	if len(found) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings[dir] = append(r.findings[dir], found...)
}

// clean reports whether a folder has no findings so far.
func (r *run) clean(dir string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.findings[dir]) == 0
}

func (r *run) translator() translator {
	if r.override != nil {
		return r.override
	}
	switch r.cfg.mode() {
	case Plain:
		return emit.Plain
	case Debug:
		return translating(form{debug: true})
	}
	return translating(form{})
}
