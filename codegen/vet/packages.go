package vet

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/source"
)

// errLoad wraps failures that leave no package to check.
var errLoad = errors.New("vet: cannot load packages")

// Packages runs [Analyzer] on the packages that patterns match ("./..." if there are none),
// tests included, and returns the findings by position. Twins need not be generated: Packages
// checks the code that generating would write, and also reports the generator's refusals; only
// the check stale is about the files as they are. It writes nothing. An error means that no
// package could be checked. Packages blocks until all packages are done. It respects the flag
// skip of [Analyzer].
func Packages(cfg codegen.Config, patterns ...string) ([]codegen.Diagnostic, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	cfg.DryRun = true
	generated, err := codegen.Generate(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	loaded, asked, err := load(&cfg, generated, patterns)
	if err != nil {
		return nil, err
	}
	var found []source.Diagnostic
	for _, d := range generated.Diagnostics {
		found = append(found, source.Diagnostic(d))
	}
	var whole []*packages.Package
	for _, p := range loaded {
		// If the generator has findings, its twins are missing, and the type checker
		// would report only that.
		if len(p.Errors) > 0 && len(generated.Diagnostics) == 0 && asked[p.ID] {
			found = append(found, sourceErrors(p)...)
		}
		if len(p.Errors) == 0 && !p.IllTyped {
			whole = append(whole, p)
		}
	}
	amongThemselves(whole)
	graph, err := checker.Analyze([]*analysis.Analyzer{overlaid(cfg.Overlay)}, whole, nil)
	if err != nil {
		return nil, fmt.Errorf("vet: %w", err)
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			return nil, fmt.Errorf("vet: package %s: %w", root.Package.PkgPath, root.Err)
		}
		for _, d := range root.Diagnostics {
			if !asked[root.Package.ID] {
				break
			}
			found = append(found, finding(root.Package.Fset, d))
		}
	}
	var sorted []codegen.Diagnostic
	for _, d := range source.SortDiagnostics(found) {
		sorted = append(sorted, codegen.Diagnostic(d))
	}
	return sorted, nil
}

// overlaid returns [Analyzer] for a pass that reads the texts of an overlay instead of files.
func overlaid(overlay map[string][]byte) *analysis.Analyzer {
	a := *Analyzer
	a.Run = func(pass *analysis.Pass) (any, error) {
		with := *pass
		with.ReadFile = func(path string) ([]byte, error) {
			if data, ok := overlay[path]; ok {
				return data, nil
			}
			return pass.ReadFile(path)
		}
		return run(&with)
	}
	return &a
}

// amongThemselves drops all imports of the packages except each other: packages that are only
// compiled have no facts.
func amongThemselves(list []*packages.Package) {
	for _, p := range list {
		maps.DeleteFunc(p.Imports, func(_ string, dep *packages.Package) bool { return !slices.Contains(list, dep) })
	}
}

// load loads packages in the state after generating. Among them are packages that patterns do
// not match but that export facts, because they belong to the same module or have machines;
// asked contains the matching ones.
func load(cfg *codegen.Config, generated *codegen.Result, patterns []string) (loaded []*packages.Package, asked map[string]bool, err error) {
	env, flags := cfg.GoCommand()
	config := &packages.Config{
		// Without NeedDeps, imports are read from compiled packages, not from source.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Dir: cfg.Dir, Env: env, BuildFlags: flags, Tests: true,
		Overlay: map[string][]byte{},
	}
	for path, data := range cfg.Overlay {
		config.Overlay[path] = data
	}
	for _, f := range generated.Stale() {
		config.Overlay[f.Path] = f.Data
		if f.Change == codegen.Removed {
			config.Overlay[f.Path] = emptied(f.Path)
		}
	}
	if loaded, err = packages.Load(config, patterns...); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errLoad, err)
	}
	asked = map[string]bool{}
	for _, p := range loaded {
		asked[p.ID] = true
	}
	more := importedPaths(loaded, asked)
	if len(more) == 0 {
		return loaded, asked, nil
	}
	if loaded, err = packages.Load(config, slices.Concat(patterns, more)...); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errLoad, err)
	}
	return loaded, asked, nil
}

// emptied returns a file without its declarations, since an overlay cannot remove it.
func emptied(path string) []byte {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
	if err != nil {
		return nil
	}
	return []byte("package " + file.Name.Name + "\n")
}

// importedPaths returns the paths of the imported packages, direct or indirect, that belong to
// the main module or to another module and use the runtime, except those in asked. The runtime
// itself has no facts.
func importedPaths(list []*packages.Package, asked map[string]bool) (paths []string) {
	seen := map[*packages.Package]bool{}
	var visit func(*packages.Package)
	visit = func(p *packages.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		if p.Module != nil && p.Module.Path != source.Module && !asked[p.ID] && p.ForTest == "" && (p.Module.Main || usesRuntime(p)) {
			paths = append(paths, p.PkgPath)
		}
		for _, dep := range p.Imports {
			visit(dep)
		}
	}
	for _, p := range list {
		visit(p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// usesRuntime reports whether a package of another module may have machines.
func usesRuntime(p *packages.Package) bool {
	for path := range p.Imports {
		if strings.HasPrefix(path, source.Module+"/") {
			return true
		}
	}
	return false
}

// sourceErrors returns the errors of the go command and of the type checker.
func sourceErrors(p *packages.Package) []source.Diagnostic {
	var found []source.Diagnostic
	// The go command compiles imported packages, and repeats the compiler's errors.
	checked := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind != packages.ListError })
	for _, e := range p.Errors {
		if checked && e.Kind == packages.ListError {
			continue
		}
		d := source.Diagnostic{Category: source.CategorySource, What: e.Msg}
		if at := strings.SplitN(e.Pos, ":", 2); len(at) == 2 {
			d.Pos.Filename = at[0]
			// A line without a column is a position, too.
			_, _ = fmt.Sscanf(at[1], "%d:%d", &d.Pos.Line, &d.Pos.Column)
		}
		found = append(found, d)
	}
	return found
}

// finding returns the analyzer's finding in the form of the generator's findings.
func finding(fset *token.FileSet, d analysis.Diagnostic) source.Diagnostic {
	found := source.Diagnostic{Pos: fset.Position(d.Pos), End: fset.Position(d.End), Category: d.Category, What: d.Message}
	if found.End.Filename != found.Pos.Filename || found.End.Line < found.Pos.Line {
		found.End = found.Pos // it has none, or a //line directive is before it
	}
	return found
}
