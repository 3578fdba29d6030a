package codegen

import (
	"bytes"
	"errors"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/source"
)

// target is one variant of a package that owns annotated functions.
type target struct {
	meta    *packages.Package
	dir     string
	outputs []*output

	warnings []source.Diagnostic

	key      filecache.Key // of its outputs in the cache
	cached   bool          // key is valid
	recalled bool          // outputs are those of an earlier run
}

// findTargets looks for annotated functions in the matched packages, and notes errors
// in their annotations.
func (r *run) findTargets() {
	seen := map[string]bool{}
	for _, p := range r.ws.roots {
		sc := r.finder.scopes[p.PkgPath]
		if !local(p) || sc == nil {
			continue
		}
		if !seen[p.PkgPath] {
			seen[p.PkgPath] = true
			r.report(sc.dir, sc.findings...)
		}
		for _, path := range p.GoFiles {
			src := r.sources.get(path)
			if owns(p, path) && (len(src.functions) > 0 || src.err != nil && mentionsDirective(src.data)) {
				r.targets = append(r.targets, &target{meta: p, dir: sc.dir})
				break
			}
		}
	}
}

// lowerTarget type-checks one variant and generates its files.
func (r *run) lowerTarget(t *target) {
	if t.recalled {
		return
	}
	if r.ws.reaches(r.ws.metas[source.StatemachinePath], t.meta) {
		r.report(t.dir, needsRuntime(r.firstAnnotation(t.meta), t.meta.PkgPath, source.StatemachinePath))
		return
	}
	if !r.sound(t) {
		return
	}
	pkg := r.model(t, r.checker.check(t.meta))
	t.warnings = r.initialisers(t, pkg)
	for _, file := range pkg.Files {
		out, found := generateFile(pkg, file, r.lowering(), r.ws.cfg.mode())
		r.report(t.dir, found...)
		if out != nil {
			t.outputs = append(t.outputs, out)
		}
	}
}

// model builds the input of the lowering.
func (r *run) model(t *target, result *checked) *source.Package {
	pkg := &source.Package{
		Path:     t.meta.PkgPath,
		Name:     t.meta.Name,
		Dir:      t.dir,
		Fset:     r.ws.fset,
		Types:    result.types,
		Info:     result.info,
		Language: result.types.GoVersion(),
		Twins:    source.NewTwins(r.finder.names),
		Names:    r.finder.scopes[t.meta.PkgPath].declared.Scope,
	}
	_, pkg.WithoutC = r.sources.compiled(t.meta)
	for _, path := range slices.Sorted(slices.Values(t.meta.GoFiles)) {
		src := r.sources.get(path)
		if !owns(t.meta, path) || len(src.functions) == 0 {
			continue
		}
		if out := source.FileTwin(path); r.occupied(out) {
			_, err := r.ws.cfg.read(out)
			r.report(t.dir, outputTaken(path, out, err))
		}
		pkg.Files = append(pkg.Files, r.modelFile(pkg, src))
	}
	return pkg
}

func (r *run) modelFile(pkg *source.Package, src *goFile) *source.File {
	formatted, err := format.Source(src.data)
	file := &source.File{
		Path: src.path, Syntax: src.syntax, Source: src.data,
		Ragged: err != nil || !bytes.Equal(formatted, src.data),
	}
	for _, fn := range src.functions {
		object, _ := pkg.Info.Defs[fn.decl.Name].(*types.Func)
		function := &source.Function{Package: pkg, File: file, Decl: fn.decl, Object: object, Names: fn.names}
		if fn.stream != nil {
			stream, err := source.StreamOf(pkg, fn.decl, fn.stream)
			if err != nil {
				r.report(pkg.Dir, cannotAnnotate(pkg.Position(fn.decl.Name.Pos()), fn.decl.Name.Name, err.Error(), "return an iter.Seq2 of the values and error"))
				continue
			}
			function.Stream = stream
		}
		if _, isError := resultTypes(fn.decl); isError != (function.Results().Err != nil) {
			r.report(pkg.Dir, disguisedError(pkg.Position(fn.decl.Name.Pos()), fn.decl.Name.Name))
		}
		file.Functions = append(file.Functions, function)
	}
	return file
}

// occupied reports whether a foreign file is where we would write.
func (r *run) occupied(path string) bool {
	data, err := r.ws.cfg.read(path)
	return err == nil && !source.IsOurs(path, data) || errors.Is(err, errIrregular)
}

// firstAnnotation is a place for findings about the annotations of a whole package.
func (r *run) firstAnnotation(p *packages.Package) token.Position {
	for _, path := range p.GoFiles {
		for _, fn := range r.sources.get(path).functions {
			return r.ws.fset.PositionFor(fn.decl.Name.Pos(), false)
		}
	}
	return token.Position{Filename: folder(p)}
}

// sound reports whether t and what it imports was listed, parsed and
// type-checked without an error, and notes the errors.
func (r *run) sound(t *target) bool {
	var listed, parsed, typed []source.Diagnostic
	r.visit(t.meta, func(p *packages.Package) {
		listed = append(listed, r.listProblems(p)...)
		if !local(p) {
			return
		}
		for _, path := range p.GoFiles {
			if src := r.sources.get(path); !src.generated {
				parsed = append(parsed, src.problems()...)
			}
		}
	})
	// Types of half a syntax tree are no news.
	if len(parsed) == 0 {
		r.visit(t.meta, func(p *packages.Package) { typed = append(typed, r.typeProblems(p, len(listed) > 0)...) })
	}
	listed = slices.DeleteFunc(listed, func(d source.Diagnostic) bool { return sameLine(d, parsed) })
	all := slices.Concat(listed, parsed, typed)
	r.report(t.dir, all...)
	return len(all) == 0
}

// sameLine reports whether there is a finding in list for the line of d: if the
// beginning of a file is broken, the go command reports it, too.
func sameLine(d source.Diagnostic, list []source.Diagnostic) bool {
	return d.Pos.Line > 0 && slices.ContainsFunc(list, func(other source.Diagnostic) bool {
		return d.Pos.Filename == other.Pos.Filename && d.Pos.Line == other.Pos.Line
	})
}

// listProblems are the errors of the go command about p.
func (r *run) listProblems(p *packages.Package) []source.Diagnostic {
	var found []source.Diagnostic
	for _, e := range p.Errors {
		pos := r.ws.errorPosition(e)
		if pos.Filename == "" {
			pos.Filename = folder(p)
		}
		parsed := local(p) && e.Kind == packages.ParseError // is found again, and completely
		if !parsed && !r.sources.isOutput(pos.Filename) {
			found = append(found, listError(pos, source.OneLine(e.Msg)))
		}
	}
	return found
}

// typeProblems are the type errors of p. Those about imports are left out if the go
// command reports them better.
func (r *run) typeProblems(p *packages.Package, listed bool) []source.Diagnostic {
	var found []source.Diagnostic
	for _, e := range r.checker.check(p).errs {
		pos := e.Fset.PositionFor(e.Pos, false)
		if pos.Filename == stubFile || listed && strings.HasPrefix(e.Msg, "could not import ") {
			continue
		}
		if more, ok := strings.CutPrefix(e.Msg, "\t"); ok && len(found) > 0 {
			// The second place of the error before.
			found[len(found)-1] = found[len(found)-1].Also(more, pos)
			continue
		}
		found = append(found, typeError(pos, e.Msg))
	}
	return found
}

// visit calls f for p and everything it imports, each once.
func (r *run) visit(p *packages.Package, f func(*packages.Package)) {
	seen := map[string]bool{}
	var walk func(*packages.Package)
	walk = func(p *packages.Package) {
		if seen[p.ID] {
			return
		}
		seen[p.ID] = true
		f(p)
		for _, dep := range r.ws.imports(p) {
			walk(dep)
		}
	}
	walk(p)
}

// isOutput reports whether the file at path carries our header.
func (s *sources) isOutput(path string) bool {
	return strings.HasSuffix(path, ".go") && s.get(path).generated
}

// findOverrides looks at every local package whose types are known by now: a
// package without annotations can override half of a pair too.
func (r *run) findOverrides() {
	for _, entry := range r.checker.local.byID {
		position := func(pos token.Pos) token.Position { return r.ws.fset.PositionFor(pos, false) }
		r.report(folder(entry.result.meta), source.Overrides(entry.result.types, position)...)
	}
}
