package load

import (
	"bytes"
	"errors"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"golang.org/x/tools/go/packages"
)

// Variant is one variant of a package that owns annotated functions: the plain one, the
// one with tests, or the external tests.
type Variant struct {
	Meta   *packages.Package
	Dir    string
	Others bool // it has functions of another kind
}

// Variants searches the matched packages for annotated functions, and reports errors in their
// annotations by folder.
func (f *Finder) Variants(report func(dir string, found []source.Diagnostic)) []*Variant {
	var list []*Variant
	seen := map[string]bool{}
	for _, p := range f.ws.Roots {
		sc := f.scopes[p.PkgPath]
		if !Local(p) || sc == nil {
			continue
		}
		if !seen[p.PkgPath] {
			seen[p.PkgPath] = true
			report(sc.dir, sc.findings)
		}
		var v *Variant
		for _, path := range p.GoFiles {
			src := f.sources.Get(path)
			if !Owns(p, path) || !src.Annotates() && (src.err == nil || !mentionsDirective(src.data)) {
				continue
			}
			if v == nil {
				v = &Variant{Meta: p, Dir: sc.dir}
				list = append(list, v)
			}
			v.Others = v.Others || len(src.Others) > 0
		}
	}
	return list
}

// Model builds the input of the lowering: the annotated functions of v with their types. Its
// second result contains the findings about them.
func (c *Checker) Model(v *Variant) (*source.Package, []source.Diagnostic) {
	result := c.check(v.Meta)
	var found []source.Diagnostic
	pkg := &source.Package{
		Path:     v.Meta.PkgPath,
		Name:     v.Meta.Name,
		Dir:      v.Dir,
		Fset:     c.ws.Fset,
		Types:    result.types,
		Info:     result.info,
		Language: result.types.GoVersion(),
		Twins:    source.NewTwins(c.finder.names),
		Names:    c.finder.scopes[v.Meta.PkgPath].declared.Scope,
		Nearer:   c.finder.scopes[v.Meta.PkgPath].declared.Nearer,
	}
	_, pkg.WithoutC = c.sources.compiledFiles(v.Meta)
	for _, path := range slices.Sorted(slices.Values(v.Meta.GoFiles)) {
		src := c.sources.Get(path)
		if !Owns(v.Meta, path) || !src.Annotates() {
			continue
		}
		if out := source.FileTwin(path); c.sources.Occupied(out) {
			_, err := c.ws.Read(out)
			found = append(found, outputTaken(path, out, err))
		}
		file, wrong := modelFile(pkg, src)
		pkg.Files, found = append(pkg.Files, file), append(found, wrong...)
	}
	return pkg, found
}

func modelFile(pkg *source.Package, src *File) (*source.File, []source.Diagnostic) {
	var found []source.Diagnostic
	formatted, err := format.Source(src.data)
	file := &source.File{
		Path: src.path, Syntax: src.Syntax, Source: src.data,
		Ragged: err != nil || !bytes.Equal(formatted, src.data),
	}
	for _, fn := range src.Functions {
		object, _ := pkg.Info.Defs[fn.decl.Name].(*types.Func)
		function := &source.Function{Package: pkg, File: file, Decl: fn.decl, Object: object, Names: fn.names, RootOnly: fn.root}
		if fn.stream != nil {
			stream, err := source.StreamOf(pkg, fn.decl, fn.stream)
			if err != nil {
				found = append(found, cannotAnnotate(pkg.Position(fn.decl.Name.Pos()), fn.decl.Name.Name, err.Error(), "return an iter.Seq2 of the values and error"))
				continue
			}
			function.Stream = stream
		}
		if _, isError := source.ResultTypes(fn.decl.Type); isError != (function.Results().Err != nil) {
			found = append(found, disguisedError(pkg.Position(fn.decl.Name.Pos()), fn.decl.Name.Name))
		}
		file.Functions = append(file.Functions, function)
	}
	for _, spec := range src.types {
		typ, wrong := modelType(pkg, file, spec)
		if found = append(found, wrong...); typ != nil {
			file.Types = append(file.Types, typ)
		}
	}
	for _, fn := range src.Others {
		object, _ := pkg.Info.Defs[fn.decl.Name].(*types.Func)
		file.Others = append(file.Others, &source.Function{Package: pkg, File: file, Decl: fn.decl, Object: object, Names: fn.names})
	}
	return file, found
}

// Occupied reports whether a file that is not ours has the path of a generated one.
func (s *Sources) Occupied(path string) bool {
	data, err := s.cfg.Read(path)
	return err == nil && !source.IsOurs(path, data) || errors.Is(err, errIrregular)
}

// firstAnnotation returns a position for findings about all annotations of a package.
func (s *Sources) firstAnnotation(p *packages.Package) token.Position {
	for _, path := range p.GoFiles {
		for _, fn := range slices.Concat(s.Get(path).Functions, s.Get(path).Others) {
			return s.fset.Position(fn.decl.Name.Pos())
		}
		for _, spec := range s.Get(path).types {
			return s.fset.Position(spec.Name.Pos())
		}
	}
	return token.Position{Filename: Folder(p)}
}

// Problems returns the errors of the go command, the parser and the type checker
// about v and its imports.
func (c *Checker) Problems(v *Variant) []source.Diagnostic {
	if c.ws.reaches(c.ws.Metas[source.StatemachinePath], v.Meta) {
		return []source.Diagnostic{needsRuntime(c.sources.firstAnnotation(v.Meta), v.Meta.PkgPath, source.StatemachinePath)}
	}
	var listed, parsed, typed []source.Diagnostic
	c.ws.Visit(v.Meta, func(p *packages.Package) {
		listed = append(listed, c.listProblems(p)...)
		if !Local(p) {
			return
		}
		for _, path := range p.GoFiles {
			if src := c.sources.Get(path); !src.Generated {
				parsed = append(parsed, src.problems()...)
			}
		}
	})
	// Types from a broken syntax tree add nothing.
	if len(parsed) == 0 {
		c.ws.Visit(v.Meta, func(p *packages.Package) { typed = append(typed, c.typeProblems(p, len(listed) > 0)...) })
	}
	listed = slices.DeleteFunc(listed, func(d source.Diagnostic) bool { return sameLine(d, parsed) })
	return slices.Concat(listed, parsed, typed)
}

// sameLine reports whether list contains a finding for the line of d. If the beginning of a file
// is broken, the go command reports it, too.
func sameLine(d source.Diagnostic, list []source.Diagnostic) bool {
	return d.Pos.Line > 0 && slices.ContainsFunc(list, func(other source.Diagnostic) bool {
		return d.Pos.Filename == other.Pos.Filename && d.Pos.Line == other.Pos.Line
	})
}

// listProblems returns the errors of the go command about p.
func (c *Checker) listProblems(p *packages.Package) []source.Diagnostic {
	var found []source.Diagnostic
	for _, e := range p.Errors {
		pos := c.ws.errorPosition(e)
		if pos.Filename == "" {
			pos.Filename = Folder(p)
		}
		parsed := Local(p) && e.Kind == packages.ParseError // is found again, completely
		if !parsed && !c.sources.isOutput(pos.Filename) {
			found = append(found, listError(pos, source.OneLine(e.Msg)))
		}
	}
	return found
}

// typeProblems returns the type errors of p. It omits errors about imports if the go command
// reports them better.
func (c *Checker) typeProblems(p *packages.Package, listed bool) []source.Diagnostic {
	var found []source.Diagnostic
	for _, e := range c.check(p).errs {
		pos := e.Fset.Position(e.Pos)
		if pos.Filename == stubFile || listed && strings.HasPrefix(e.Msg, "could not import ") {
			continue
		}
		if more, ok := strings.CutPrefix(e.Msg, "\t"); ok && len(found) > 0 {
			// The second position of the previous error.
			found[len(found)-1] = found[len(found)-1].Also(more, pos)
			continue
		}
		found = append(found, typeError(pos, e.Msg))
	}
	return found
}

// Visit calls f once for p and for each package that it imports, directly or indirectly.
func (ws *Workspace) Visit(p *packages.Package, f func(*packages.Package)) {
	seen := map[string]bool{}
	var walk func(*packages.Package)
	walk = func(p *packages.Package) {
		if seen[p.ID] {
			return
		}
		seen[p.ID] = true
		f(p)
		for _, dep := range ws.Imports(p) {
			walk(dep)
		}
	}
	walk(p)
}

// isOutput reports whether the file at path has our header.
func (s *Sources) isOutput(path string) bool {
	return strings.HasSuffix(path, ".go") && s.Get(path).Generated
}

// Overrides returns the findings about types that override only one form of a pair, by folder. It
// checks every local package whose types are known by now: even a package without annotations can
// override one form of a pair.
func (c *Checker) Overrides() map[string][]source.Diagnostic {
	found := map[string][]source.Diagnostic{}
	for _, entry := range c.local.byID {
		dir := Folder(entry.result.meta)
		found[dir] = append(found[dir], source.Overrides(entry.result.types, c.ws.Fset.Position)...)
	}
	return found
}

// Editable reports whether the files of p may change under the same name. Files of the Go
// distribution and of the module cache do not.
func Editable(p *packages.Package) bool {
	m := p.Module
	if m == nil {
		return !isStandard(p)
	}
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Version == "" || p.Module.Dir == "" // a vendored package's module has no folder
}

// isStandard reports whether p belongs to the Go distribution: the first element of its import
// path is not a domain name, which is not allowed for others.
func isStandard(p *packages.Package) bool {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	return !strings.Contains(first, ".")
}
