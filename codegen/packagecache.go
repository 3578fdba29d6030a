package codegen

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

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The cache of packages: after a change, only what depends on it is generated again.
//
// The outputs of a package depend on its own files and on what it imports: on the types
// there, and on which functions will have twins. So their key is a hash of the
// settings, of the code of its own files, and of the faces of all others (see
// significant.go). Packages of the module cache and of the Go distribution count by
// name and version.
//
// Only outputs of runs that found nothing at all are kept: a finding in a package may
// belong to the check of an importer, and a run that takes both from the cache would
// miss it. Outputs of a package with warnings are not kept either.

// recall looks for the outputs of all targets.
func (r *run) recall() {
	if r.cache == nil {
		return
	}
	k := &packageKeys{run: r, known: map[string]*packageKey{}}
	for _, t := range r.targets {
		key := k.of(t.Meta)
		if key.unknown {
			continue
		}
		t.key, t.cached = keyOfText(fmt.Sprintf("package 2\n%s%q %x\n", r.cache.settings, t.Dir, key.sum)), true
		t.outputs = r.recalled(t)
		t.recalled = t.outputs != nil
	}
}

// recalled are the outputs of t in the cache; nil if there are none, or if they cannot
// be written. Anything may have written to the cache: a file with an unexpected name or
// an altered text is not an output of t.
func (r *run) recalled(t *target) []*output {
	data, ok := r.cache.dir.Get(t.key)
	if !ok {
		return nil
	}
	byName := map[string][]byte{}
	if json.Unmarshal(data, &byName) != nil {
		return nil
	}
	list := []*output{}
	for _, path := range r.outputPaths(t) {
		data, ok := byName[filepath.Base(path)]
		if differs, _ := source.Altered(data); !ok || differs || !source.DigestLine.Match(data) || source.FileTwin(filepath.Join(t.Dir, source.GeneratedFrom(data))) != path || r.sources.Occupied(path) {
			return nil
		}
		list = append(list, &output{path: path, data: data})
	}
	if len(list) != len(byName) {
		return nil
	}
	return list
}

// outputPaths are the files that will be generated for t, sorted.
func (r *run) outputPaths(t *target) []string {
	var list []string
	for _, path := range t.Meta.GoFiles {
		if load.Owns(t.Meta, path) && len(r.sources.Get(path).Functions) > 0 {
			list = append(list, source.FileTwin(path))
		}
	}
	slices.Sort(list)
	return list
}

// remember keeps the outputs of all targets, if there is no finding.
func (r *run) remember() {
	if r.cache == nil || len(r.findings) > 0 {
		return
	}
	for _, t := range r.targets {
		if !t.cached || t.recalled || len(t.warnings) > 0 {
			continue
		}
		byName := map[string][]byte{}
		for _, out := range t.outputs {
			byName[filepath.Base(out.path)] = out.data
		}
		if data, err := json.Marshal(byName); err == nil {
			_ = r.cache.dir.Put(t.key, data) // it will be generated again, then
		}
	}
}

// packageKeys computes the hashes of packages, each once.
type packageKeys struct {
	run   *run
	known map[string]*packageKey // by ID
}

type packageKey struct {
	sum     source.Checksum // what is generated from the package depends on
	face    source.Checksum // the part that importers see, of it and its imports
	unknown bool            // something cannot be read, or was not listed properly
}

// of is the key of p.
func (k *packageKeys) of(p *packages.Package) *packageKey {
	if key := k.known[p.ID]; key != nil {
		return key
	}
	key := &packageKey{}
	k.known[p.ID] = key
	sum, face := sha256.New(), sha256.New()
	both := io.MultiWriter(sum, face)
	fmt.Fprintf(both, "%q %q %q %q\n", p.ID, p.PkgPath, p.Name, p.ForTest)
	if m := p.Module; m != nil {
		fmt.Fprintf(both, "module %q %q go %q\n", m.Path, m.Version, m.GoVersion)
		if m.Replace != nil {
			fmt.Fprintf(both, "replaced by %q %q\n", m.Replace.Path, m.Replace.Version)
		}
	}
	key.unknown = len(p.Errors) > 0 || load.Editable(p) && !k.files(sum, face, p)
	imports := k.run.ws.Imports(p)
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		dep := k.of(imports[path])
		fmt.Fprintf(both, "import %q %x\n", path, dep.face)
		key.unknown = key.unknown || dep.unknown
	}
	sum.Sum(key.sum[:0])
	face.Sum(key.face[:0])
	return key
}

// files adds what matters of the files of p, and for a local package of those of its
// whole folder, since names depend on it. Generated code in them is left out: it is
// never looked at. It reports whether all could be read.
func (k *packageKeys) files(sum, face hash.Hash, p *packages.Package) bool {
	paths := [][]string{p.GoFiles, p.CompiledGoFiles}
	if load.Local(p) {
		all, err := k.run.ws.InFolder(load.Folder(p))
		if err != nil {
			return false
		}
		paths = append(paths, all)
	}
	for i, list := range paths {
		for _, path := range list {
			file := k.run.sources.Lazy(path)
			data, err := file.Data()
			switch {
			case err != nil:
				return false
			// files that are not edited here need no parsing
			case !load.Local(p) || filepath.Ext(path) != ".go":
				fmt.Fprintf(io.MultiWriter(sum, face), "file %d %q %x\n", i, path, sha256.Sum256(data))
			case !source.IsOurs(path, data):
				fmt.Fprintf(sum, "file %d %q %x\n", i, path, file.Code())
				fmt.Fprintf(face, "file %d %q %x\n", i, path, file.Face())
			}
		}
	}
	return true
}
