package codegen

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// inputs are the files that a run depends on, by where to look for them: what is
// new in a folder counts as much as what has changed in it.
type inputs struct {
	Trees   []string // folders in which patterns with "..." look for packages
	Folders []string // other folders of packages that may be edited
	Files   []string // single files, there or not: go.mod, go.work, C sources, …
	Names   []string // files of which only the existence counts
}

// state is what the inputs are at one time.
type state struct {
	digest [sha256.Size]byte
	files  map[string]time.Time // what was read, and when it was last written
}

// reader computes a state. Files are read and hashed whole: a time stamp may be the
// same after a change (a checkout, a quick editor, a coarse file system).
type reader struct {
	hash  hash.Hash
	state *state
}

// read reads the inputs. The digest is the same for the same contents under
// the same names.
func (in *inputs) read() (*state, error) {
	r := &reader{hash: sha256.New(), state: &state{files: map[string]time.Time{}}}
	for _, dir := range in.Trees {
		if err := r.tree(dir); err != nil {
			return nil, err
		}
	}
	for _, dir := range in.Folders {
		if err := r.folder(dir); err != nil {
			return nil, err
		}
	}
	for _, path := range in.Files {
		if err := r.file(path); err != nil {
			return nil, err
		}
	}
	for _, path := range in.Names {
		_, err := os.Stat(path)
		fmt.Fprintf(r.hash, "name %q %t\n", path, err == nil)
	}
	r.hash.Sum(r.state.digest[:0])
	return r.state, nil
}

// tree reads the folders in which the go command looks for what root/... matches.
func (r *reader) tree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path == root {
			return r.folder(path)
		}
		name := d.Name()
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" {
			return fs.SkipDir // Vendored packages that are imported are Folders.
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			fmt.Fprintf(r.hash, "module %q\n", path)
			return fs.SkipDir
		}
		return r.folder(path)
	})
}

// folder reads what the go command and this package read of a folder, however
// it is built: names are chosen by what all its files declare.
func (r *reader) folder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.hash, "folder %q\n", dir)
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && (strings.HasSuffix(name, ".go") || name == "go.mod") {
			if err := r.file(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) file(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		// Some files are looked for in case that somebody makes them, and a link that
		// leads nowhere is in its folder.
		fmt.Fprintf(r.hash, "no file %q\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.hash, "file %q %x\n", path, sha256.Sum256(data))
	r.state.files[path] = info.ModTime()
	return nil
}

// How much earlier than a write the time of a file may be: the system's clock for
// files ticks, and some file systems count in seconds.
const (
	fineTick   = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// settledSince reports whether every file that was read is as it was at start,
// but for those in except.
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

// environment lists the settings that say what the go command does.
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

// setting is the last value of a variable, as for a started process.
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

// goEnvFile is where "go env -w" writes, if it can be known.
func goEnvFile(env []string) string {
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = ""
	}
	return cmp.Or(setting(env, "GOENV"), filepath.Join(dir, "go", "env"))
}
