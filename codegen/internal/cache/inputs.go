package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// inputs are the files that a run depends on, grouped by how to find them: a new file in a
// folder counts as much as a changed one.
type inputs struct {
	Trees   []string // folders in which patterns with "..." look for packages
	Folders []string // other folders of packages that users may edit
	Files   []string // single files, whether they exist or not: go.mod, go.work, C sources, …
	Names   []string // files of which only the existence matters
}

// inputs returns the files that the run depended on.
func (c *Cache) inputs(ws *load.Workspace) inputs {
	var in inputs
	files, folders, trees, names := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	in.Files = append(above(c.base, "go.mod"), goEnvFile(c.env), c.goEnv)
	for _, work := range append(above(c.base, "go.work"), setting(c.env, "GOWORK")) {
		in.Files = append(in.Files, work, filepath.Join(filepath.Dir(work), "vendor", "modules.txt"))
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

// usedModules lists the go.mod files of the modules of a workspace, even if no package of a
// module was loaded: each influences which versions are used. The file may mention other folders
// that contain a go.mod; including them does no harm.
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

// state is the state of the inputs at one time.
type state struct {
	facts []fact
	files map[string]time.Time // what was read, and when it was last written
}

// fact is a line of the hashed text: a folder exists, a file is absent, or the
// hash of a file.
type fact struct {
	text string
	path string          // of a file that was read; else empty
	sum  source.Checksum // of it
}

// read reads the inputs. Files are read and hashed whole: a time stamp may be the
// same after a change (a checkout, a quick editor, a coarse file system).
func (in *inputs) read() (*state, error) {
	s := &state{files: map[string]time.Time{}}
	for _, dir := range in.Trees {
		if err := s.tree(dir); err != nil {
			return nil, err
		}
	}
	for _, dir := range in.Folders {
		if err := s.folder(dir); err != nil {
			return nil, err
		}
	}
	for _, path := range in.Files {
		if err := s.file(path); err != nil {
			return nil, err
		}
	}
	for _, path := range in.Names {
		_, err := os.Stat(path)
		s.note("name %q %t\n", path, err == nil)
	}
	return s, nil
}

func (s *state) note(format string, args ...any) {
	s.facts = append(s.facts, fact{text: fmt.Sprintf(format, args...)})
}

// digest returns a hash of the contents and the names of the files.
func (s *state) digest() string {
	h := sha256.New()
	for _, f := range s.facts {
		if f.path == "" {
			fmt.Fprint(h, f.text)
		} else {
			fmt.Fprintf(h, "file %q %x\n", f.path, f.sum)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tree reads the folders in which the go command looks for packages that match
// root/....
func (s *state) tree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path == root {
			return s.folder(path)
		}
		if load.IsSkipped(d.Name()) {
			return fs.SkipDir // Vendored packages that are imported are Folders.
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			s.note("module %q\n", path)
			return fs.SkipDir
		}
		return s.folder(path)
	})
}

// folder reads what the go command and this package read of a folder, however
// it is built: names are chosen by what all its files declare.
func (s *state) folder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	s.note("folder %q\n", dir)
	for _, e := range entries {
		name := e.Name()
		if source.Leftover.MatchString(name) {
			s.note("leftover %q\n", filepath.Join(dir, name)) // to be removed by a run
		}
		if !e.IsDir() && (strings.HasSuffix(name, ".go") || name == "go.mod" || name == layout.Name) {
			if err := s.file(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *state) file(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		// Some files are looked for in case they appear later; a dangling link, or a
		// folder, does not count as one.
		s.note("no file %q\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.facts = append(s.facts, fact{path: path, sum: sha256.Sum256(data)})
	s.files[path] = info.ModTime()
	return nil
}

// How much earlier than its write the time of a file may be: the system's clock
// for files ticks, and some file systems count in seconds.
const (
	fineTick   = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// settledSince reports whether every file that was read is as it was at start,
// except for those in except.
func (s *state) settledSince(start time.Time, except []string) bool {
	for path, at := range s.files {
		tick := fineTick
		if at.Nanosecond() == 0 {
			tick = coarseTick
		}
		if at.After(start.Add(-tick)) && !slices.Contains(except, path) {
			return false
		}
	}
	return true
}

// environment lists the settings that control the go command.
func environment(env []string) []string {
	var list []string
	for _, assignment := range env {
		name, _, _ := strings.Cut(assignment, "=")
		switch {
		case strings.HasPrefix(name, "GO"), strings.HasPrefix(name, "CGO_"),
			name == "CC", name == "CXX", name == "PKG_CONFIG", name == "HOME", name == "XDG_CONFIG_HOME":
			list = append(list, assignment)
		}
	}
	return list
}

// setting returns the last value of a variable, as for a started process.
func setting(env []string, name string) string {
	for _, assignment := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(assignment, name+"="); ok {
			return v
		}
	}
	return ""
}

// above lists files called names in dir and the folders above it.
func above(dir string, names ...string) []string {
	var list []string
	for {
		for _, name := range names {
			list = append(list, filepath.Join(dir, name))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return list
		}
		dir = parent
	}
}

// goEnvFile returns the file that "go env -w" writes to, if it can be determined.
func goEnvFile(env []string) string {
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = ""
	}
	return cmp.Or(setting(env, "GOENV"), filepath.Join(dir, "go", "env"))
}
