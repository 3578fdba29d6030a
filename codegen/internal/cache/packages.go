package cache

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The cache of packages: after a change, only the packages that depend on it are generated
// again.
//
// The outputs of a package depend on its own files and on its imports: on their types, and on
// which of their functions will have twins. So the key of the outputs is a hash of the settings,
// of the code of the package's own files, and of the APIs of all others (see exports.go in
// package source). Packages of the module cache and of the Go distribution count by name and
// version.
//
// Only outputs of runs without any finding are kept: a finding in a package may come from the
// check of an importer, and a run that takes both from the cache would miss it. Outputs of a
// package with warnings are not kept either.

// Packages are the packages of one run.
type Packages struct {
	cache   *Cache
	ws      *load.Workspace
	sources *load.Sources
	known   map[string]*packageKey // by ID
}

// Packages returns the packages that a run has loaded as ws and reads from srcs. If c is nil, it
// returns nil, which keeps nothing.
func (c *Cache) Packages(ws *load.Workspace, srcs *load.Sources) *Packages {
	if c == nil {
		return nil
	}
	return &Packages{cache: c, ws: ws, sources: srcs, known: map[string]*packageKey{}}
}

// Package is one package of a run.
type Package struct {
	of  *Packages
	v   *load.Variant
	key filecache.Key
}

// Of returns the package for v. If v depends on something that cannot be read, it returns nil,
// which has no outputs and keeps none. Of is not safe for concurrent use.
func (k *Packages) Of(v *load.Variant) *Package {
	if k == nil {
		return nil
	}
	key := k.keyOf(v.Meta)
	if key.unknown {
		return nil
	}
	return &Package{of: k, v: v, key: keyOfText(fmt.Sprintf("package 2\n%s%q %x\n", k.cache.settings, v.Dir, key.sum))}
}

// Outputs returns the kept outputs of the package, sorted by path; the second result is false if
// there are none, or if they cannot be written. Since any program may have written to the cache,
// a file with an unexpected name or an altered text is not accepted as an output.
func (p *Package) Outputs() ([]File, bool) {
	if p == nil {
		return nil, false
	}
	data, ok := p.of.cache.dir.Get(p.key)
	if !ok {
		return nil, false
	}
	byName := map[string][]byte{}
	if json.Unmarshal(data, &byName) != nil {
		return nil, false
	}
	var list []File
	for _, path := range p.paths() {
		data, ok := byName[filepath.Base(path)]
		if !ok || !p.canBe(path, data) {
			return nil, false
		}
		list = append(list, File{Path: path, Data: data})
	}
	return list, len(list) == len(byName)
}

// canBe reports whether data is a generated text that a run may write to path.
func (p *Package) canBe(path string, data []byte) bool {
	return source.IsSealed(data) &&
		source.FileTwin(filepath.Join(p.v.Dir, source.GeneratedFrom(data))) == path && !p.of.sources.Occupied(path)
}

// paths returns the files that will be generated for the package, sorted.
func (p *Package) paths() []string {
	var list []string
	for _, path := range p.v.Meta.GoFiles {
		if load.Owns(p.v.Meta, path) && p.of.sources.Get(path).Annotates() {
			list = append(list, source.FileTwin(path))
		}
	}
	slices.Sort(list)
	return list
}

// Keep stores the outputs of the package. The run must have found nothing, and this package must
// have no warnings.
func (p *Package) Keep(outputs []File) {
	if p == nil {
		return
	}
	byName := map[string][]byte{}
	for _, out := range outputs {
		byName[filepath.Base(out.Path)] = out.Data
	}
	p.of.cache.put(p.key, byName)
}

type packageKey struct {
	sum     source.Checksum // the inputs of the generated code
	apiSum  source.Checksum // the part that importers see, of the package and its imports
	unknown bool            // something cannot be read, or was not listed properly
}

// keyOf returns the key of p, computed once.
func (k *Packages) keyOf(p *packages.Package) *packageKey {
	if key := k.known[p.ID]; key != nil {
		return key
	}
	key := &packageKey{}
	k.known[p.ID] = key
	sum, api := sha256.New(), sha256.New()
	both := io.MultiWriter(sum, api)
	fmt.Fprintf(both, "%q %q %q %q\n", p.ID, p.PkgPath, p.Name, p.ForTest)
	if m := p.Module; m != nil {
		fmt.Fprintf(both, "module %q %q go %q\n", m.Path, m.Version, m.GoVersion)
		if m.Replace != nil {
			fmt.Fprintf(both, "replaced by %q %q\n", m.Replace.Path, m.Replace.Version)
		}
	}
	key.unknown = len(p.Errors) > 0 || load.Editable(p) && !k.files(sum, api, p)
	imports := k.ws.Imports(p)
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		dep := k.keyOf(imports[path])
		fmt.Fprintf(both, "import %q %x\n", path, dep.apiSum)
		key.unknown = key.unknown || dep.unknown
	}
	sum.Sum(key.sum[:0])
	api.Sum(key.apiSum[:0])
	return key
}

// files hashes the relevant parts of the files of p. For a local package it includes the files of
// the whole folder, since names depend on them. It leaves out generated code, which is never
// used. It reports whether all files could be read.
func (k *Packages) files(sum, api hash.Hash, p *packages.Package) bool {
	paths := [][]string{p.GoFiles, p.CompiledGoFiles}
	if load.Local(p) {
		all, err := k.ws.InFolder(load.Folder(p))
		if err != nil {
			return false
		}
		paths = append(paths, all)
	}
	for i, list := range paths {
		for _, path := range list {
			file := k.sources.Lazy(path)
			data, err := file.Data()
			switch {
			case err != nil:
				return false
			// files that are not edited here need no parsing
			case !load.Local(p) || filepath.Ext(path) != ".go":
				fmt.Fprintf(io.MultiWriter(sum, api), "file %d %q %x\n", i, path, sha256.Sum256(data))
			case !source.IsOurs(path, data):
				fmt.Fprintf(sum, "file %d %q %x\n", i, path, file.Code())
				fmt.Fprintf(api, "file %d %q %x\n", i, path, file.API())
			}
		}
	}
	return true
}
