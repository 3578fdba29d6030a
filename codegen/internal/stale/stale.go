// Package stale finds generated code that belongs to an older version of its source. It only reads
// files: nothing is loaded, type-checked or generated, so that a test can afford it in each run.
//
// # What is compared
//
// A generated file has a digest of each function that it was generated from (source/origin.go).
// The findings are about functions and files that have no counterpart, and about digests that
// differ:
//
//	source                        generated file              finding
//	a function                    with another digest         the twin is stale
//	a function                    without a digest of it      it has no twin
//	a file with functions         missing                     likewise, once for the file
//	a file with functions         without digests             an older movenext wrote it
//	a file with functions         not what its seal says      its digests prove nothing
//	none of this name             with a digest               the old machine still runs
//	no file                       exists                      likewise, once for the file
//	a file                        under another name          likewise
//
// Build constraints do not matter, since the text of a file excluded from the build can be
// compared like any other: a finding tells the author of a change for another system to generate
// for it. Only a missing generated file is no finding then: it may be a file that is never built,
// such as one with the tag ignore.
package stale

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Finding is a finding in the form of the generator's: what, why, and what to do.
type Finding struct {
	Pos, End      token.Pos
	What, Why, Do string
}

// Package is a package whose files are compared.
type Package struct {
	Fset *token.FileSet

	// Files are the paths of its files, Excluded of those that the build leaves out.
	Files, Excluded []string

	// Read reads a file.
	Read func(path string) ([]byte, error)
}

// Check returns the findings about the files of a package, in their order. Files that cannot be
// read or parsed are left to the compiler.
func (p *Package) Check() []Finding {
	var found []Finding
	for _, path := range slices.Concat(p.Files, p.Excluded) {
		data, err := p.Read(path)
		if err != nil {
			continue
		}
		if from := source.GeneratedFrom(data); from != "" {
			found = append(found, p.checkGenerated(path, filepath.Join(filepath.Dir(path), from), data)...)
		} else if bytes.Contains(data, []byte(source.DirectivePrefix)) {
			found = append(found, p.checkSource(path, data)...)
		}
	}
	return found
}

// checkSource compares the functions of a file with what was generated from it.
func (p *Package) checkSource(path string, data []byte) []Finding {
	file, functions := p.parse(path, data)
	if len(functions) == 0 {
		return nil
	}
	name := source.FileTwin(path)
	generated, err := p.Read(name)
	if missing := err != nil || source.GeneratedFrom(generated) == ""; missing {
		if slices.Contains(p.Excluded, path) {
			return nil
		}
		return []Finding{fileMissing(functions[0], filepath.Base(name))}
	}
	differs, damage := source.FindAlteration(generated)
	digests := source.Origins(generated)
	switch {
	case differs:
		return []Finding{altered(functions[0], filepath.Base(name), damage)}
	case len(digests) == 0:
		return []Finding{withoutDigests(functions[0], filepath.Base(name))}
	}
	var found []Finding
	for _, fn := range functions {
		switch digest, known := digests[source.DeclaredName(fn)]; {
		case !known:
			found = append(found, twinMissing(fn, filepath.Base(name)))
		case digest != source.Origin(file, fn, data):
			found = append(found, twinStale(fn, filepath.Base(name)))
		}
	}
	return found
}

// checkGenerated looks for the functions that a file was generated from.
func (p *Package) checkGenerated(path, from string, data []byte) []Finding {
	text, err := p.Read(from)
	switch begin := p.Fset.AddFile(path, -1, len(data)).Pos(0); {
	case source.FileTwin(from) != path:
		return []Finding{misnamed(begin, filepath.Base(path), filepath.Base(from))}
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{sourceGone(begin, filepath.Base(path), filepath.Base(from))}
	case err != nil:
		return nil
	}
	file, functions := p.parse(from, text)
	if file == nil {
		return nil
	}
	gone := source.Origins(data)
	for _, fn := range functions {
		delete(gone, source.DeclaredName(fn))
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		found = append(found, functionGone(file, name, filepath.Base(path)))
	}
	return found
}

// parse returns the syntax of a file and its annotated functions; file is nil if it has errors.
func (p *Package) parse(path string, data []byte) (file *ast.File, functions []*ast.FuncDecl) {
	file, err := parser.ParseFile(p.Fset, path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && source.HasTwin(fn) {
			functions = append(functions, fn)
		}
	}
	return file, functions
}
