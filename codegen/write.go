package codegen

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Change is what happens to a generated file.
type Change string

// The changes of a generated file.
const (
	Unchanged Change = "unchanged" // it is as it should be
	Created   Change = "created"   // it was missing
	Updated   Change = "updated"   // it was stale
	Removed   Change = "removed"   // its source has no annotation anymore
	Edited    Change = "edited"    // out of date and edited by hand: left as it is
	Damaged   Change = "damaged"   // empty, cut short, or with conflict marks: left as it is
)

// FileChange is one generated file. After a dry run it describes the change that would happen.
type FileChange struct {
	Path   string
	Change Change
	why    string   // why a file is Damaged
	said   []string // for [Result.Accepted]
	Data   []byte   // its contents now, or if it were neither Edited nor Damaged; nil: no file
}

// finish compares the outputs with the files on disk, and writes.
func (r *run) finish() *Result {
	result := &Result{}
	byDir := map[string][]FileChange{}
	for _, dir := range r.folders() {
		if !r.clean(dir) {
			continue
		}
		changes, err := r.changes(dir)
		if err != nil {
			r.report(dir, source.Unreadable(dir, err))
			continue
		}
		r.refuseEdited(dir, changes)
		if r.clean(dir) {
			byDir[dir] = changes
		}
	}
	result.Held = r.hold(byDir)
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		if !r.cfg.DryRun {
			removeLeftovers(dir)
			if path, err := onDisk.apply(byDir[dir]); err != nil {
				r.report(dir, cannotWrite(path, err))
				continue
			}
		}
		result.Files = append(result.Files, byDir[dir]...)
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		for _, c := range byDir[dir] {
			result.Accepted = append(result.Accepted, c.said...)
		}
	}
	var findings, warnings []source.Diagnostic
	for _, found := range r.findings {
		findings = append(findings, found...)
	}
	for _, t := range r.targets {
		warnings = append(warnings, t.warnings...)
	}
	result.Diagnostics = published(source.SortDiagnostics(findings))
	result.Warnings = published(source.SortDiagnostics(warnings))
	slices.SortFunc(result.Files, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return result
}

// refuseEdited reports files due for replacement that were edited or damaged since they
// were generated. A dry run only lists them.
func (r *run) refuseEdited(dir string, changes []FileChange) {
	for _, c := range changes {
		switch {
		case r.cfg.DryRun:
		case c.Change == Edited:
			r.report(dir, editedByHand(c.Path))
		case c.Change == Damaged:
			r.report(dir, damagedFile(c.Path, c.why))
		}
	}
}

// folders returns the folders of the matched local packages.
func (r *run) folders() []string {
	all := map[string]bool{}
	for _, p := range r.ws.Roots {
		if load.Local(p) && !load.IsTestMain(p) {
			all[load.Folder(p)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// changes compares the generated files of a folder with those on disk.
func (r *run) changes(dir string) ([]FileChange, error) {
	var list []FileChange
	planned := map[string]bool{}
	for _, t := range r.targets {
		if t.Dir != dir {
			continue
		}
		for _, out := range t.outputs {
			planned[out.path] = true
			change, old, err := r.change(out.path, out.data)
			if err != nil {
				return nil, err
			}
			// What a merge left behind is written over: all of it was generated, and the source,
			// which has no marks, has the outcome.
			if change.Change == Updated && !r.cfg.Overwrite && (r.cfg.DryRun || !source.InConflict(old)) {
				change.keep(old)
			}
			list = append(list, change)
		}
	}
	if path, data, said := r.other.Beside(dir); path != "" {
		change, _, err := r.change(path, data)
		if err != nil {
			return nil, err
		}
		change.said = said
		list = append(list, change)
	}
	paths, err := r.ws.InFolder(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if planned[path] {
			continue
		}
		old, err := r.ws.Read(path)
		if err != nil || !r.orphan(path, old) {
			continue
		}
		change := FileChange{Path: path, Change: Removed}
		if !r.cfg.Overwrite {
			change.keep(old)
		}
		list = append(list, change)
	}
	return list, nil
}

// change compares a file with the one on disk, and returns the latter.
func (r *run) change(path string, data []byte) (c FileChange, old []byte, err error) {
	c = FileChange{Path: path, Data: data, Change: Updated}
	old, err = r.ws.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Change, err = Created, nil
	case err == nil && bytes.Equal(source.UnixLines(old), data):
		c.Change = Unchanged
	}
	return c, old, err
}

// keep marks c as an edited or damaged file that stays as it is, if the old file is one.
func (c *FileChange) keep(old []byte) {
	switch differs, damage := source.FindAlteration(old); {
	case damage != "":
		c.Change, c.why = Damaged, damage
	case differs:
		c.Change = Edited
	}
}

// orphan reports whether path, which holds data, is one of our files that no run would
// generate: its source is gone or no longer has an annotation. A source that this run does
// not build, because of its system or tags, still has its output.
func (r *run) orphan(path string, data []byte) bool {
	base := source.GeneratedFrom(data)
	if base == "" {
		return false
	}
	from := filepath.Join(filepath.Dir(path), base)
	if source.FileTwin(from) != path {
		return true // Renamed by hand, or copied.
	}
	src := r.sources.Get(from)
	return src.Syntax == nil || src.Generated ||
		!slices.ContainsFunc(source.Directives(src.Syntax), func(d source.Directive) bool {
			return d.Text == source.DirectiveAsync || r.other.IsAnnotation(d.Text)
		})
}

// hold removes from byDir the folders that import a folder with findings, repeatedly,
// until none is left.
func (r *run) hold(byDir map[string][]FileChange) []Held {
	failed := map[string]string{} // import path -> the path with findings that it depends on
	for _, p := range r.ws.Locals() {
		if !r.clean(load.Folder(p)) {
			failed[p.PkgPath] = p.PkgPath
		}
	}
	var held []Held
	for _, t := range r.targets {
		if byDir[t.Dir] == nil || len(failed) == 0 {
			continue
		}
		because := ""
		r.ws.Visit(t.Meta, func(p *packages.Package) { because = cmp.Or(because, failed[p.PkgPath]) })
		if because != "" {
			delete(byDir, t.Dir)
			held = append(held, Held{Package: t.Meta.PkgPath, Because: because})
		}
	}
	slices.SortFunc(held, func(a, b Held) int { return strings.Compare(a.Package, b.Package) })
	return held
}
