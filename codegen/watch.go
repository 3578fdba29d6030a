package codegen

import (
	"cmp"
	"context"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/load"
)

// Watch generates, and again whenever a file of the packages or of their modules has changed,
// until ctx ends. It passes each outcome to report. It keeps the list of packages, and the types
// of those of other modules: after a change below the imports of a file, neither is loaded again.
func Watch(ctx context.Context, cfg Config, report func(*Result, error), patterns ...string) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	w := &watcher{cfg: cfg, patterns: patterns, trees: []string{cmp.Or(cfg.Dir, ".")}}
	for ctx.Err() == nil {
		begun := time.Now()
		changed := w.look()
		looked := time.Since(begun)
		if changed {
			report(w.generate())
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchInterval + 10*looked): // the files of a large module take a while
		}
	}
}

// watchInterval is how long a watcher waits between two looks at the files, if they are few.
const watchInterval = 50 * time.Millisecond

// keptText is how much text the positions of a kept list may stand for. Each run adds what it has
// read.
const keptText = 1 << 28

// watcher is the state of Watch.
type watcher struct {
	cfg      Config
	patterns []string

	list    *load.Workspace // nil: it has to be loaded
	trees   []string        // folders of modules that may change, as are those in them
	folders []string        // other folders of packages that may change; their types are kept
	seen    map[string]seenFile
}

// seenFile is a file at the last look.
type seenFile struct {
	size int64
	at   time.Time
	head string // what decides about the list of packages
}

// generate generates, from the kept list of packages if there is one.
func (w *watcher) generate() (*Result, error) {
	for w.list == nil {
		list, err := load.List(w.cfg.settings(), token.NewFileSet(), w.patterns)
		if err != nil {
			return nil, err
		}
		w.list = list
		if w.widen() {
			w.look() // at files of which nothing was known when the list was loaded
		}
	}
	r := newRun(&w.cfg, w.list)
	r.cache, r.patterns = w.cfg.cache(w.patterns), w.patterns
	result, err := r.do()
	keep := err == nil && w.mayKeep()
	if err == nil {
		for _, f := range result.Stale() { // what it has written is no change
			if info, err := os.Stat(f.Path); err == nil {
				w.seen[f.Path] = seen(f.Path, info, false)
			} else {
				keep = false
			}
		}
	}
	if !keep {
		w.list = nil
	}
	return result, err
}

// widen makes the folders of the listed packages those to look at, and reports whether they are
// others than before.
func (w *watcher) widen() bool {
	var trees, folders []string
	for _, p := range w.list.Metas {
		switch {
		case load.Local(p):
			trees = append(trees, p.Module.Dir)
		case load.Editable(p):
			folders = append(folders, load.Folder(p))
		}
	}
	slices.Sort(trees)
	slices.Sort(folders)
	trees, folders = slices.Compact(trees), slices.Compact(folders)
	same := slices.Equal(trees, w.trees) && slices.Equal(folders, w.folders)
	w.trees, w.folders = trees, folders
	return !same
}

// mayKeep reports whether the list may be used again after a change of function bodies. One with
// errors may not: something that was not read decides about them. Nor may one with cgo, whose
// files the go command writes, or with packages of other modules that import those of this one.
func (w *watcher) mayKeep() bool {
	for _, p := range w.list.Metas {
		made := load.Local(p) && !load.IsTestMain(p) && len(p.CompiledGoFiles) != len(p.GoFiles)
		if made || len(p.Errors) > 0 {
			return false
		}
		for _, dep := range p.Imports {
			if load.Local(dep) && !load.Local(p) && !load.IsTestMain(p) {
				return false
			}
		}
	}
	return w.list.Fset.Base() < keptText
}

// look notes the states of all files, and reports whether one has changed. The list of packages is
// dropped if a change may be one of it.
func (w *watcher) look() bool {
	now, changed := map[string]seenFile{}, false
	note := func(path string, info fs.FileInfo, kept bool) {
		old, known := w.seen[path]
		if !known || old.size != info.Size() || !old.at.Equal(info.ModTime()) {
			file := seen(path, info, kept)
			if changed = true; !known || file.head != old.head {
				w.list = nil
			}
			old = file
		}
		now[path] = old
	}
	for _, dir := range w.trees {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				noteEntry(path, d, false, note)
			}
			if err == nil && d.IsDir() && path != dir && load.IsSkipped(d.Name()) {
				return fs.SkipDir
			}
			return nil // it is gone, or not for us
		})
	}
	for _, dir := range w.folders {
		entries, _ := os.ReadDir(dir)
		for _, d := range entries {
			noteEntry(filepath.Join(dir, d.Name()), d, true, note)
		}
	}
	if len(now) != len(w.seen) {
		changed, w.list = true, nil
	}
	w.seen = now
	return changed
}

// noteEntry passes a file on that packages depend on.
func noteEntry(path string, d fs.DirEntry, kept bool, note func(string, fs.FileInfo, bool)) {
	switch name := d.Name(); {
	case strings.HasSuffix(name, ".go"), name == "go.mod", name == "go.sum", name == "go.work", name == layout.Name:
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			note(path, info, kept)
		}
	}
}

var embedded = regexp.MustCompile(`(?m)^//go:embed .*$`)

// seen returns the state of a file. All of it decides about the list, if it is no Go file or has
// types that are kept; and of a Go file, what the go command reads.
func seen(path string, info fs.FileInfo, kept bool) seenFile {
	s := seenFile{size: info.Size(), at: info.ModTime()}
	data, err := os.ReadFile(path)
	if err != nil {
		return s
	}
	s.head = string(data)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, data, parser.ImportsOnly)
	if err == nil && !kept {
		end := file.Name.End()
		for _, spec := range file.Imports {
			end = max(end, spec.End())
		}
		s.head = s.head[:fset.Position(end).Offset] + strings.Join(embedded.FindAllString(s.head, -1), "\n")
	}
	return s
}
