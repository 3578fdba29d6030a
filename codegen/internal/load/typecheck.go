package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// checked is a package with its types.
type checked struct {
	meta  *packages.Package
	types *types.Package
	info  *types.Info // nil for packages that are only imported

	// errs are the errors of a local package. For another package they are a single error
	// that stands for all, since those cannot be corrected here.
	errs []types.Error
}

// Checker type-checks packages of a workspace and what they import, each once.
type Checker struct {
	ws      *Workspace
	sources *Sources
	finder  *Finder
	targets map[string]bool // by ID; these are checked with function bodies
	limit   chan struct{}
	local   *packageSet
}

// packageSet contains packages that have been or are being type-checked, by ID.
type packageSet struct {
	mu   sync.Mutex
	byID map[string]*pending
}

type pending struct {
	done   chan struct{}
	result *checked
}

// enter returns the entry of a package, and reports whether the caller has to fill it.
func (s *packageSet) enter(id string) (entry *pending, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry = s.byID[id]
	if entry == nil {
		entry, isNew = &pending{done: make(chan struct{})}, true
		s.byID[id] = entry
	}
	return entry, isNew
}

// NewChecker returns a checker for the packages of f. Only the given variants are checked with
// the bodies of their functions.
func NewChecker(f *Finder, variants []*Variant) *Checker {
	ids := map[string]bool{}
	for _, v := range variants {
		ids[v.Meta.ID] = true
	}
	return &Checker{
		ws:      f.ws,
		sources: f.sources,
		finder:  f,
		targets: ids,
		limit:   make(chan struct{}, runtime.GOMAXPROCS(0)),
		local:   &packageSet{byID: map[string]*pending{}},
	}
}

// check returns the types of p. Its imports are checked first, in parallel; the list contains no
// import cycles.
func (c *Checker) check(p *packages.Package) *checked {
	set := c.ws.external
	if Local(p) {
		set = c.local
	}
	entry, isNew := set.enter(p.ID)
	if !isNew {
		<-entry.done
		return entry.result
	}
	var wg sync.WaitGroup
	for _, dep := range c.ws.Imports(p) {
		wg.Go(func() { c.check(dep) })
	}
	wg.Wait()
	c.limit <- struct{}{}
	entry.result = c.checkOne(p)
	<-c.limit
	close(entry.done)
	return entry.result
}

// Imports returns the packages that p imports, including the imports of its stubs.
func (ws *Workspace) Imports(p *packages.Package) map[string]*packages.Package {
	all := map[string]*packages.Package{}
	for path, dep := range p.Imports {
		if dep.PkgPath != "unsafe" {
			all[path] = dep
		}
	}
	machine := ws.Metas[source.StatemachinePath]
	if !Local(p) || machine != nil && ws.reaches(machine, p) {
		return all // Generated code would import statemachine, and with it p itself.
	}
	for _, path := range source.StubPaths {
		// A variant made for a test imports variants made for the same test.
		variant := ws.Metas[path+" ["+p.ForTest+".test]"]
		if p.ForTest == "" || variant == nil {
			variant = ws.Metas[path]
		}
		if all[path] == nil && variant != nil && !ws.reaches(variant, p) {
			all[path] = variant
		}
	}
	return all
}

// reaches reports whether from imports to, directly or indirectly, or is to.
func (ws *Workspace) reaches(from, to *packages.Package) bool {
	seen := map[string]bool{}
	var visit func(p *packages.Package) bool
	visit = func(p *packages.Package) bool {
		if p.ID == to.ID {
			return true
		}
		if seen[p.ID] {
			return false
		}
		seen[p.ID] = true
		for _, dep := range p.Imports {
			if visit(dep) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

func (c *Checker) checkOne(p *packages.Package) *checked {
	result := &checked{meta: p}
	if p.PkgPath == "unsafe" {
		result.types = types.Unsafe
		return result
	}
	c.addCompanions(p)
	files, withoutC := c.files(p)
	if c.targets[p.ID] {
		result.info = newInfo()
	}
	imports := c.ws.Imports(p)
	config := &types.Config{
		Importer:         importer(func(path string) (*types.Package, error) { return c.importPackage(imports, path) }),
		Sizes:            p.TypesSizes,
		IgnoreFuncBodies: result.info == nil,
		FakeImportC:      withoutC,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && (!withoutC || !strings.Contains(e.Msg, "invalid type")) {
				result.errs = append(result.errs, e)
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	result.types = types.NewPackage(p.PkgPath, p.Name)
	err := types.NewChecker(config, c.ws.Fset, result.types, result.info).Files(files)
	if err != nil && len(result.errs) == 0 && !withoutC {
		// Only this error reports a language version that the type checker does not know.
		result.errs = append(result.errs, types.Error{Fset: c.ws.Fset, Pos: firstPos(files), Msg: err.Error()})
	}
	if !Local(p) && len(result.errs) > 1 {
		result.errs = result.errs[:1]
	}
	c.own(result, files)
	return result
}

// own makes the information that is keyed by file available for the user's files, too, since the
// checked files are copies with stubs.
func (c *Checker) own(result *checked, files []*ast.File) {
	if result.info == nil {
		return
	}
	for _, file := range files {
		src := c.sources.Get(c.ws.Fset.File(file.FileStart).Name())
		if src.checked == file && src.Syntax != file {
			result.info.FileVersions[src.Syntax] = result.info.FileVersions[file]
			result.info.Scopes[src.Syntax] = result.info.Scopes[file]
		}
	}
}

func firstPos(files []*ast.File) token.Pos {
	if len(files) == 0 {
		return token.NoPos
	}
	return files[0].Package
}

// files parses the files that the compiler would read for p, without our generated files and with
// the stubs. For cgo, it may parse the files that cgo reads (see compiled).
func (c *Checker) files(p *packages.Package) (files []*ast.File, withoutC bool) {
	paths, withoutC := c.sources.compiledFiles(p)
	for _, path := range paths {
		switch {
		// go list also counts assembly and C as compiled
		case filepath.Ext(path) != ".go" && !isMadeByCgo(path):
		case Local(p):
			if src := c.sources.Get(path); src.checked != nil && !src.Generated {
				files = append(files, src.checked)
			}
		default:
			// An error surfaces as a type error where the missing declaration is used.
			if data, err := c.read(p, path); err == nil {
				if file, _ := parser.ParseFile(c.ws.Fset, path, data, parser.SkipObjectResolution); file != nil {
					files = append(files, file)
				}
			}
		}
	}
	return files, withoutC
}

// read reads a file of another module. A file that may be edited is read only once, so that the
// checked text is the same as in the keys of the cache.
func (c *Checker) read(p *packages.Package, path string) ([]byte, error) {
	if Editable(p) {
		return c.sources.Lazy(path).Data()
	}
	return c.ws.Read(path)
}

// importPackage returns the package that path denotes among imports.
func (c *Checker) importPackage(imports map[string]*packages.Package, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := imports[path]
	if dep == nil {
		return nil, fmt.Errorf("package %s is not known here", path)
	}
	result := c.check(dep)
	if len(dep.CompiledGoFiles) == 0 && len(dep.Errors) > 0 {
		return nil, fmt.Errorf("%s", dep.Errors[0].Msg)
	}
	return result.types, nil
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Instances:    map[*ast.Ident]types.Instance{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
}
