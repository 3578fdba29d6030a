package codegen

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The cache of runs: most runs find nothing to do, and say so without loading.
//
// A run that ended without a finding leaves a record: which files it depended
// on, a digest of all of them, the generated ones included, and which those are.
// The next run with the same settings reads the files again. If the digest is the
// same, it would end the same way.
//
// It is tempting to ask the go command first which files there are: that question takes
// most of the time. Instead the record names folders, and a new file in one changes the
// digest. A run that depends on more than nameable files is not kept: a driver of
// packages other than the go command, an overlay.
//
// Not looked at again: the module cache, which go.sum stands for; the Go distribution,
// which the go command's own file stands for; C headers, which the go command ignores,
// too.
//
// The digest is computed after the run, when the files to read are known. A file
// changed meanwhile would enter the digest with contents that the run never saw. So a
// record is made only if all files are older than the run, except for the generated
// ones, whose contents are compared.

// runCache is the cache as one run uses it.
type runCache struct {
	dir     *filecache.Dir
	key     filecache.Key
	cfg     *Config
	base    string // the absolute folder in which patterns are resolved
	goEnv   string // the file with the go command's own defaults
	walks   bool   // some pattern searches folders
	started time.Time

	settings string // of the generator and of the go command, as part of keys
}

// record is the value of an entry.
type record struct {
	Inputs   inputs
	Digest   string
	Outputs  []string
	Warnings []source.Diagnostic
}

// openRunCache returns the cache for a run, nil if it is not to use one.
func openRunCache(cfg *Config, patterns []string) *runCache {
	if cfg.Cache == "" || len(cfg.Overlay) > 0 {
		return nil
	}
	env := cfg.env()
	goCommand, err := exec.LookPath("go")
	if err != nil || hasDriver(env) {
		return nil
	}
	tool, err := executableDigest()
	if err != nil {
		return nil
	}
	base, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil
	}
	// The time of the go command's file says which one it is; reading its content would
	// take as long as everything else.
	info, err := os.Stat(goCommand)
	if err != nil {
		return nil
	}
	settings := fmt.Sprintf("tool %x\ngo %q %d %s\nmode %s\nflags %q\nenv %q\n", tool, goCommand, info.Size(),
		info.ModTime().UTC(), cfg.mode(), cfg.buildFlags(), environment(env))
	return &runCache{
		dir: filecache.Open(cfg.Cache), cfg: cfg, base: base, started: time.Now(), settings: settings,
		key:   keyOfText(fmt.Sprintf("run 1\n%sin %q\npatterns %q\n", settings, base, patterns)),
		goEnv: goDefaults(goCommand),
		walks: slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "...") || !load.IsPath(p) }),
	}
}

func keyOfText(text string) filecache.Key { return sha256.Sum256([]byte(text)) }

// goDefaults is the file next to the go command's folder that sets its defaults.
func goDefaults(goCommand string) string {
	if path, err := filepath.EvalSymlinks(goCommand); err == nil {
		goCommand = path
	}
	return filepath.Join(filepath.Dir(goCommand), "..", "go.env")
}

// hasDriver reports whether packages are listed by something other than the go command.
func hasDriver(env []string) bool {
	switch setting(env, "GOPACKAGESDRIVER") {
	case "off":
		return false
	case "":
		_, err := exec.LookPath("gopackagesdriver")
		return err == nil
	}
	return true
}

// executableDigest identifies this build of the generator. Its version would not:
// during development many builds share one.
var executableDigest = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), cmp.Or(err, f.Close())
})

// lookup returns the result of the run, if it is known.
func (c *runCache) lookup() (*Result, bool) {
	if c == nil {
		return nil, false
	}
	data, ok := c.dir.Get(c.key)
	if !ok {
		return nil, false
	}
	var rec record
	if json.Unmarshal(data, &rec) != nil {
		return nil, false
	}
	now, err := rec.Inputs.read()
	if err != nil || now.digest() != rec.Digest && !c.sameCode(&rec, now) {
		return nil, false
	}
	result := &Result{Warnings: rec.Warnings}
	for _, path := range rec.Outputs {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, false
		}
		result.Files = append(result.Files, FileChange{Path: path, Change: Unchanged, Data: data})
	}
	return result, true
}

// put keeps a value. Without it the next run takes longer, which is no failure of this
// one.
func (c *runCache) put(key filecache.Key, value any) {
	if data, err := json.Marshal(value); err == nil {
		_ = c.dir.Put(key, data)
	}
}

// keep records a run, unless something speaks against it. Not to have a record is no
// failure of the run.
func (c *runCache) keep(ws *load.Workspace, srcs *load.Sources, result *Result) {
	if c == nil || len(result.Diagnostics) > 0 || len(result.Held) > 0 {
		return
	}
	rec := record{Inputs: c.inputs(ws), Warnings: result.Warnings}
	for _, f := range result.Files {
		if c.cfg.DryRun && f.Change != Unchanged {
			return
		}
		if f.Data != nil {
			rec.Outputs = append(rec.Outputs, f.Path)
		}
	}
	// Another run may have written the outputs meanwhile: which run did so does not
	// matter.
	now, err := rec.Inputs.read()
	if err != nil || !now.settledSince(c.started, rec.Outputs) || !asWritten(result.Files) {
		return
	}
	known := srcs.CodeSums()
	rec.Digest = now.digest()
	c.put(c.codeKey(), codeRecord{Digest: now.codeDigest(known), Known: known})
	c.put(c.key, rec)
}

// asWritten reports whether the generated files still are what the run left.
func asWritten(files []FileChange) bool {
	for _, f := range files {
		if f.Change == Removed {
			continue
		}
		if data, err := os.ReadFile(f.Path); err != nil || string(data) != string(f.Data) {
			return false
		}
	}
	return true
}

// inputs are the files that the run depended on.
func (c *runCache) inputs(ws *load.Workspace) inputs {
	var in inputs
	files, folders, trees, names := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	env := c.cfg.env()
	in.Files = append(above(c.base, "go.mod"), goEnvFile(env), c.goEnv)
	for _, work := range append(above(c.base, "go.work"), setting(env, "GOWORK")) {
		in.Files = append(in.Files, work)
		in.Files = append(in.Files, usedModules(work)...)
	}
	for _, p := range ws.Metas {
		if !load.Editable(p) {
			continue
		}
		folders[load.Folder(p)] = true
		for _, path := range slices.Concat(p.GoFiles, p.OtherFiles) {
			files[path] = true
		}
		for _, path := range p.EmbedFiles {
			names[path] = true
		}
		if m := p.Module; m != nil && m.Dir != "" {
			for _, name := range []string{"go.mod", "go.sum", "go.work.sum", filepath.Join("vendor", "modules.txt")} {
				files[filepath.Join(m.Dir, name)] = true
			}
			if m.Main && c.walks {
				trees[m.Dir] = true
			}
		}
	}
	delete(folders, "")
	in.Files = append(in.Files, slices.Sorted(maps.Keys(files))...)
	in.Trees, in.Folders, in.Names = slices.Sorted(maps.Keys(trees)), slices.Sorted(maps.Keys(folders)), slices.Sorted(maps.Keys(names))
	return in
}

// usedModules lists the go.mod files of the modules of a workspace, also of those of
// which no package was loaded: they influence which versions are used. Other names of
// folders with a go.mod in the file do no harm.
func usedModules(work string) []string {
	data, err := os.ReadFile(work)
	if err != nil {
		return nil
	}
	var list []string
	for _, word := range strings.Fields(string(data)) {
		path := filepath.Join(filepath.Dir(work), strings.Trim(word, "\"`"), "go.mod")
		if _, err := os.Stat(path); err == nil {
			list = append(list, path)
		}
	}
	return list
}
