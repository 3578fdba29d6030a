package codegen

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// The cache of packages: after a change, only what depends on it is generated again.
//
// The outputs of a package depend on its own files and on what it imports: on the
// types there, and on which functions will have twins. So their key is a hash of the
// settings and of the contents of all these files. Packages of the module cache and of
// the Go distribution count by name and version.
//
// Only outputs of runs that found nothing at all are kept: a finding in a package may belong
// to the check of another one that imports it, and a run that takes both from the
// cache would be silent about it. Nor are those of a package with warnings.

// recall looks for the outputs of all targets.
func (r *run) recall() {
	if r.cache == nil {
		return
	}
	k := &packageKeys{run: r, known: map[string]*packageKey{}}
	for _, t := range r.targets {
		key := k.of(t.meta)
		if key.unknown {
			continue
		}
		t.key, t.cached = keyOfText(fmt.Sprintf("package 1\n%s%q %x\n", r.cache.settings, t.dir, key.sum)), true
		t.outputs = r.recalled(t)
		t.recalled = t.outputs != nil
	}
}

// recalled are the outputs of t in the cache; nil if there are none, or if
// they cannot be written.
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
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		path := filepath.Join(t.dir, name)
		if r.occupied(path) {
			return nil
		}
		list = append(list, &output{path: path, data: byName[name]})
	}
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
	sum     [sha256.Size]byte
	unknown bool // something cannot be read, or was not listed properly
}

// of is the hash of p and of everything that it imports.
func (k *packageKeys) of(p *packages.Package) *packageKey {
	if key := k.known[p.ID]; key != nil {
		return key
	}
	key := &packageKey{}
	k.known[p.ID] = key
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", p.ID, p.PkgPath, p.Name, p.ForTest)
	if m := p.Module; m != nil {
		fmt.Fprintf(h, "module %q %q go %q\n", m.Path, m.Version, m.GoVersion)
		if m.Replace != nil {
			fmt.Fprintf(h, "replaced by %q %q\n", m.Replace.Path, m.Replace.Version)
		}
	}
	key.unknown = len(p.Errors) > 0 || editable(p) && !k.files(h, p)
	imports := k.run.ws.imports(p)
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		dep := k.of(imports[path])
		fmt.Fprintf(h, "import %q %x\n", path, dep.sum)
		key.unknown = key.unknown || dep.unknown
	}
	h.Sum(key.sum[:0])
	return key
}

// files adds the files of p and their contents, and for a local package those of its whole
// folder, since names depend on it. What was generated in one is left out: it is never
// looked at. It reports whether all could be read.
func (k *packageKeys) files(h hash.Hash, p *packages.Package) bool {
	paths := [][]string{p.GoFiles, p.CompiledGoFiles}
	if local(p) {
		all, err := k.run.ws.cfg.inFolder(folder(p))
		if err != nil {
			return false
		}
		paths = append(paths, all)
	}
	for i, list := range paths {
		for _, path := range list {
			data, err := k.run.sources.lazy(path).data()
			if err != nil {
				return false
			}
			if !local(p) || !isGenerated(data) {
				fmt.Fprintf(h, "file %d %q %x\n", i, path, sha256.Sum256(data))
			}
		}
	}
	return true
}
