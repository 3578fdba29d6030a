package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The cache of runs: most runs find nothing to do, and report that without loading anything.
//
// A run that ended without a finding leaves a record: the files that it depended on, a digest of
// all of them, including the generated ones, and the list of the generated ones. The next run
// with the same settings reads the files again. If the digest is unchanged, it would end the same
// way.
//
// It is tempting to let the go command list the files first, but that takes most of the time of a
// run. Instead the record names folders, and a new file in one changes the digest. A run that
// depends on anything other than such files is not kept: on a driver of packages other than the
// go command, or on an overlay, be it one of GOFLAGS.
//
// The digest does not cover the module cache, which go.sum represents; the Go distribution, which
// the go command's own file represents; and C headers, which the go command ignores, too.
//
// The digest is computed after the run, when the files to read are known. A file that changed
// meanwhile would enter the digest with contents that the run never saw. So a record is made
// only if all files are older than the run, except for the generated ones, whose contents are
// compared.

// Settings determine which results a run can use: everything that they depend on, except files.
type Settings struct {
	Folder   string         // for the kept results, need not exist; empty: nothing is kept
	Load     *load.Settings // what the run loads
	Patterns []string       // in the folder of Load
	Mode     string         // the form of the generated code
}

// Cache gives one run access to the results of earlier runs. A nil Cache has nothing and keeps
// nothing.
type Cache struct {
	dir     *filecache.Dir
	key     filecache.Key
	env     []string
	base    string // the absolute folder in which patterns are resolved
	goEnv   string // the file with the go command's own defaults
	walks   bool   // some pattern searches folders
	started time.Time

	settings string // identity of the generator and the go command, a part of keys
}

// File is a generated file.
type File struct {
	Path string
	Data []byte
}

// Run is the result of a run that found nothing wrong.
type Run struct {
	Outputs  []File // the generated files that exist after it
	Warnings []source.Diagnostic
}

// record is the value of a cache entry.
type record struct {
	Inputs   inputs
	Digest   string
	Outputs  []string
	Warnings []source.Diagnostic
}

// Open returns the cache for a run that begins now. It returns nil if the run depends on more
// than Settings and files, if the settings name no folder, or after an error: without a cache,
// the run only takes longer.
func Open(s *Settings) *Cache {
	if s.Folder == "" || len(s.Load.Overlay) > 0 {
		return nil
	}
	env := s.Load.Env
	goCommand, err := exec.LookPath("go")
	if err != nil || hasDriver(env) {
		return nil
	}
	tool, err := executableDigest()
	if err != nil {
		return nil
	}
	base, err := filepath.Abs(s.Load.Dir)
	if err != nil {
		return nil
	}
	// The modification time of the go command's file identifies it; reading its contents
	// would take as long as everything else.
	info, err := os.Stat(goCommand)
	if err != nil {
		return nil
	}
	defaults := goDefaults(goCommand)
	if hasOverlay(env, defaults) {
		return nil
	}
	settings := fmt.Sprintf("tool %x\ngo %q %d %s\nmode %s\nflags %q\nenv %q\n", tool, goCommand, info.Size(),
		info.ModTime().UTC(), s.Mode, s.Load.Flags, environment(env))
	return &Cache{
		dir: filecache.Open(s.Folder), env: env, base: base, started: time.Now(), settings: settings,
		key:   keyOfText(fmt.Sprintf("run 1\n%sin %q\npatterns %q\n", settings, base, s.Patterns)),
		goEnv: defaults,
		walks: slices.ContainsFunc(s.Patterns, func(p string) bool { return strings.Contains(p, "...") || !load.IsPath(p) }),
	}
}

func keyOfText(text string) filecache.Key { return sha256.Sum256([]byte(text)) }

// goDefaults returns the file that sets the go command's defaults, next to its folder.
func goDefaults(goCommand string) string {
	if path, err := filepath.EvalSymlinks(goCommand); err == nil {
		goCommand = path
	}
	return filepath.Join(filepath.Dir(goCommand), "..", "go.env")
}

// hasDriver reports whether a program other than the go command lists packages.
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

// hasOverlay reports whether flags for the go command name an overlay: which files there are then
// depends on one that is no input.
func hasOverlay(env []string, defaults string) bool {
	const flag = "-overlay"
	if strings.Contains(setting(env, "GOFLAGS"), flag) {
		return true
	}
	for _, path := range []string{goEnvFile(env), defaults} {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(flag)) {
			return true
		}
	}
	return false
}

// executableDigest identifies this build of the generator. Its version would not, since during
// development many builds share one.
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

// Lookup returns the result of the run if it is known: the inputs are the same as when a run
// with these settings ended.
func (c *Cache) Lookup() (*Run, bool) {
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
	if err != nil || now.digest() != rec.Digest {
		return nil, false
	}
	run := &Run{Warnings: rec.Warnings}
	for _, path := range rec.Outputs {
		if _, read := now.files[path]; !read || !canBeOutput(path) {
			return nil, false // no run has written this record
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, false
		}
		run.Outputs = append(run.Outputs, File{Path: path, Data: data})
	}
	return run, true
}

// canBeOutput reports whether a file has the name of one that runs write.
func canBeOutput(path string) bool {
	return source.FileSource(path) != "" || filepath.Base(path) == layout.Name
}

// put stores a value. A failure only makes the next run slower; this run has not failed.
func (c *Cache) put(key filecache.Key, value any) {
	if data, err := json.Marshal(value); err == nil {
		_ = c.dir.Put(key, data)
	}
}

// Keep records a run that loaded ws, unless its inputs or outputs have changed
// meanwhile. The run does not fail if no record is made.
func (c *Cache) Keep(ws *load.Workspace, run *Run) {
	if c == nil {
		return
	}
	rec := record{Inputs: c.inputs(ws), Warnings: run.Warnings}
	for _, f := range run.Outputs {
		rec.Outputs = append(rec.Outputs, f.Path)
	}
	// Another run may have written the outputs meanwhile; which of the two wrote them does
	// not matter.
	now, err := rec.Inputs.read()
	if err != nil || !now.settledSince(c.started, rec.Outputs) || !asWritten(run.Outputs) {
		return
	}
	rec.Digest = now.digest()
	c.put(c.key, rec)
}

// asWritten reports whether the generated files are still as the run left them.
func asWritten(files []File) bool {
	for _, f := range files {
		if data, err := os.ReadFile(f.Path); err != nil || !bytes.Equal(data, f.Data) {
			return false
		}
	}
	return true
}
