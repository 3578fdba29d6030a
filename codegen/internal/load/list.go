package load

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Loading, and why it is done in two parts.
//
// The types of a package that calls fetchAsync depend on fetchAsync, which may not be generated
// yet, or may be stale. So types cannot be loaded in one step, as go/packages does: the twins are
// declared after the packages are listed and before their types are checked (stubs.go). Only the
// list comes from go/packages: the files, the imports, the variants for tests. This runs the go
// command once, which takes most of the time of a small run.
//
// It is tempting to run go/packages twice instead, the second time with an overlay that contains
// the future declarations. That would list twice, and type-check every package that matches the
// patterns, whereas this code checks only packages with annotations and their imports.

const listMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedDeps | packages.NeedModule |
	packages.NeedTypesSizes | packages.NeedForTest | packages.NeedEmbedFiles

// Workspace is the list of packages of one run.
type Workspace struct {
	*Settings

	Fset  *token.FileSet
	Metas map[string]*packages.Package // by ID; a package with tests is a separate one
	Roots []*packages.Package          // the packages that match the patterns

	// external are the type-checked packages of other modules. They do not depend on a run's
	// annotations and files, so any number of runs can share them.
	external *packageSet

	trees trees
}

// errLoad wraps failures that leave no package to check: a missing go command, a pattern that
// matches nothing.
var errLoad = errors.New("codegen: cannot load packages")

// List resolves patterns and lists their packages with all dependencies.
func List(cfg *Settings, fset *token.FileSet, patterns []string) (*Workspace, error) {
	if err := endless(cfg, patterns); err != nil {
		return nil, err
	}
	ws := &Workspace{Settings: cfg, Fset: fset, Metas: map[string]*packages.Package{}}
	ws.external = &packageSet{byID: map[string]*pending{}}
	overlay := cfg.Overlay
	roots, err := ws.load(overlay, true, patterns)
	if err != nil {
		return nil, err
	}
	// A stale or damaged generated file may keep the go command from listing its package. It
	// will be replaced, so list without it.
	if broken := ws.brokenOutput(roots); len(broken) > 0 {
		overlay = maps.Clone(overlay)
		if overlay == nil {
			overlay = map[string][]byte{}
		}
		maps.Copy(overlay, broken)
		clear(ws.Metas)
		if roots, err = ws.load(overlay, true, patterns); err != nil {
			return nil, err
		}
	}
	ws.Roots = roots
	return ws, ws.missingRoots()
}

func (ws *Workspace) load(overlay map[string][]byte, tests bool, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode:       listMode,
		Dir:        ws.Dir,
		Env:        ws.Env,
		BuildFlags: ws.Flags,
		Overlay:    overlay,
		Tests:      tests,
	}
	roots, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLoad, goError{err})
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if ws.Metas[p.ID] == nil {
			ws.Metas[p.ID] = p
		}
	})
	return roots, nil
}

// Add lists packages that no listed package imports: the runtime, before anything has been
// generated, and other imports of generated code.
func (ws *Workspace) Add(paths ...string) error {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return ws.Metas[path] != nil })
	if len(paths) == 0 {
		return nil
	}
	roots, err := ws.load(ws.Overlay, false, paths)
	if err != nil {
		return err
	}
	for _, p := range roots {
		if len(p.Errors) > 0 {
			return fmt.Errorf("%w: package %s, which generated code imports: %s", errLoad, p.PkgPath, ws.missingImport(p.PkgPath, p.Errors[0].Msg))
		}
	}
	return nil
}

// missingImport returns the go command's message for a package that nothing imports yet. It adds
// advice where the message has none: go mod vendor copies only imported packages, and only
// generated code imports this one.
func (ws *Workspace) missingImport(path, msg string) string {
	msg = source.OneLine(msg)
	if strings.Contains(msg, "-mod=vendor") {
		command := "go mod vendor"
		if ws.usesWorkFile() {
			command = "go work vendor"
		}
		msg += fmt.Sprintf("; to have it vendored, write import _ %q in a file of the module and run %s", path, command)
	}
	return msg
}

// usesWorkFile reports whether the go command works in a workspace, where it refuses go mod
// vendor.
func (ws *Workspace) usesWorkFile() bool {
	cmd := exec.Command("go", "env", "GOWORK")
	cmd.Dir, cmd.Env = ws.Dir, ws.Env
	output, err := cmd.Output()
	file := strings.TrimSpace(string(output))
	return err == nil && file != "" && file != "off"
}

// brokenOutput finds generated files among the positions of listing errors, and returns the
// contents to list instead: a package clause.
func (ws *Workspace) brokenOutput(roots []*packages.Package) map[string][]byte {
	broken := map[string][]byte{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			ws.replaceBroken(broken, ws.errorPosition(e).Filename)
			for _, verb := range []string{"read ", "open "} { // an error without a position
				if said, ok := strings.CutPrefix(e.Msg, verb); ok {
					path, _, _ := strings.Cut(said, ": ")
					ws.replaceBroken(broken, path)
				}
			}
		}
	})
	return broken
}

// replaceBroken adds substitute contents for path to broken, if the file is ours.
func (ws *Workspace) replaceBroken(broken map[string][]byte, path string) {
	data, err := ws.Read(path)
	if err != nil || !source.IsOurs(path, data) {
		return
	}
	name := source.ClauseName(data)
	if from, err := ws.Read(source.FileSource(path)); name == "" && err == nil {
		name = source.ClauseName(from)
	}
	if name != "" {
		broken[path] = []byte("package " + name + "\n")
	}
}

// missingRoots reports patterns that match no package, and patterns that match a package without
// a path, whose twins could not be imported.
func (ws *Workspace) missingRoots() error {
	var errs []error
	for _, p := range ws.Roots {
		if p.PkgPath == "command-line-arguments" {
			errs = append(errs, fmt.Errorf("%w: patterns have to name packages, not files", errLoad))
			continue
		}
		if len(p.GoFiles) > 0 || len(p.CompiledGoFiles) > 0 {
			continue
		}
		for _, e := range p.Errors {
			if ws.errorPosition(e).Filename == "" && !strings.Contains(e.Msg, "build constraints exclude all Go files") {
				errs = append(errs, fmt.Errorf("%w: %s", errLoad, source.OneLine(e.Msg)))
			}
		}
	}
	return errors.Join(errs...)
}

// goError is the go command's message, without the prefix from package packages.
type goError struct{ err error }

func (e goError) Unwrap() error { return e.err }

func (e goError) Error() string {
	text := e.err.Error()
	if _, said, ok := strings.Cut(text, "stderr: "); ok && strings.TrimSpace(said) != "" {
		text = said
	}
	return strings.TrimPrefix(strings.TrimPrefix(source.OneLine(text), "err: "), "go: ")
}

// errorPosition parses the position of a listing error, "file:line:col" or a prefix of that,
// relative to the folder where the go command ran.
func (ws *Workspace) errorPosition(e packages.Error) token.Position {
	var pos token.Position
	rest := e.Pos
	if rest == "" || rest == "-" {
		return pos
	}
	var numbers []int
	for len(numbers) < 2 {
		i := strings.LastIndexByte(rest, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(rest[i+1:])
		if err != nil {
			break
		}
		numbers = append([]int{n}, numbers...)
		rest = rest[:i]
	}
	pos.Filename = rest
	if !filepath.IsAbs(rest) {
		if abs, err := filepath.Abs(filepath.Join(ws.Dir, rest)); err == nil {
			pos.Filename = abs
		}
	}
	if len(numbers) > 0 {
		pos.Line = numbers[0]
	}
	if len(numbers) > 1 {
		pos.Column = numbers[1]
	}
	return pos
}

// Local reports whether p belongs to the main module or the workspace, where annotations count
// and files may be written.
func Local(p *packages.Package) bool { return p.Module != nil && p.Module.Main }

// IsTestMain reports whether p is the program that go test generates.
func IsTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test")
}

// Locals returns the local packages in the order of their IDs.
func (ws *Workspace) Locals() []*packages.Package {
	var list []*packages.Package
	for _, id := range slices.Sorted(maps.Keys(ws.Metas)) {
		if p := ws.Metas[id]; Local(p) && !IsTestMain(p) {
			list = append(list, p)
		}
	}
	return list
}

// Owns reports whether functions of the file at path are generated from the variant p. A file may
// belong to several variants; its owner is the plainest of them, whose scope exists in every
// build.
func Owns(p *packages.Package, path string) bool {
	switch {
	case p.ForTest == "":
		return true
	case p.PkgPath == p.ForTest:
		return strings.HasSuffix(path, "_test.go")
	case p.PkgPath == p.ForTest+"_test":
		return true
	}
	return false // A package recompiled for another's test.
}

// Folder returns the folder of p's files.
func Folder(p *packages.Package) string {
	for _, files := range [][]string{p.GoFiles, p.IgnoredFiles, p.OtherFiles} {
		if len(files) > 0 {
			return filepath.Dir(files[0])
		}
	}
	return p.Dir
}
