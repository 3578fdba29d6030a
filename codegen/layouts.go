package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/movenext/movenext/codegen/internal/durable"
	"github.com/movenext/movenext/codegen/internal/layout"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The past of durable functions. Each folder with durable functions has a file of the layouts
// that instances in flight may have been saved with (package layout). A run compares the present
// layout of each function with that file, and writes the file together with the generated ones:
// all or none.
//
// Functions in test files have no past: their instances end with the test.

// past is the layout file of a folder while a run updates it.
type past struct {
	path string
	old  []byte // nil: there is no file

	mu       sync.Mutex
	file     *layout.File    // nil: the file is damaged
	seen     map[string]bool // functions of this run
	accepted []string        // messages for the user
}

// past returns the layout file of a folder. A problem with the file is reported once.
func (r *run) past(dir string) *past {
	r.mu.Lock()
	p, known := r.pasts[dir]
	if !known {
		p = &past{path: filepath.Join(dir, layout.Name), seen: map[string]bool{}}
		r.pasts[dir] = p
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.mu.Unlock()
	if known {
		return p
	}
	old, err := r.ws.Read(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.file = &layout.File{}
		return p
	case err != nil:
		r.report(dir, source.Unreadable(p.path, err))
		return p
	}
	p.old = old
	if p.file, err = layout.Parse(old); err != nil {
		r.report(dir, layoutsDamaged(p.path, err))
	}
	return p
}

// change returns the change of the layout file; ok is false if there is to be no file.
func (p *past) change() (c FileChange, ok bool) {
	if p == nil || p.file == nil || p.old == nil && len(p.file.Functions)+len(p.file.Imports) == 0 {
		return c, false
	}
	c = FileChange{Path: p.path, Data: p.file.Bytes(), Change: Updated}
	switch {
	case p.old == nil:
		c.Change = Created
	case bytes.Equal(source.UnixLines(p.old), c.Data):
		c.Change = Unchanged
	}
	return c, true
}

// since compares a function with its past.
func (r *run) since(v *durable.Version) (durable.Past, []source.Diagnostic) {
	fn := v.Function
	if strings.HasSuffix(fn.File.Path, "_test.go") {
		return durable.Past{}, nil
	}
	p := r.past(fn.Package.Dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return durable.Past{}, nil
	}
	if p.seen[fn.DurableName] {
		return durable.Past{}, []source.Diagnostic{sameDurableName(v)}
	}
	p.seen[fn.DurableName] = true
	j := &judgement{
		Version: v, fn: p.file.Add(fn.DurableName), now: v.Layout.Hash(),
		asked: slices.Contains(r.cfg.Accept, fn.DurableName), strand: r.cfg.Strand,
	}
	j.known = j.fn.Layout(j.now) != nil
	if p.old == nil && r.hadPast(v, j.now) {
		return durable.Past{}, []source.Diagnostic{layoutsMissing(v)}
	}
	found := j.judge()
	p.accepted = append(p.accepted, j.said...)
	return j.past, found
}

// hadPast reports whether a function without a layout file was generated with another layout than
// its present one, or knew older layouts.
func (r *run) hadPast(v *durable.Version, now string) bool {
	data, err := r.ws.Read(source.FileTwin(v.Function.File.Path))
	if err != nil {
		return false
	}
	was := regexp.MustCompile(`Name:\s+` + regexp.QuoteMeta(strconv.Quote(v.Function.DurableName)) + `,\s+Layout:\s+"([^"]*)",\s+(\w+)`).FindSubmatch(data)
	return was != nil && (string(was[1]) != now || string(was[2]) != "Points")
}

// leftBehind looks for functions that have a past but no longer exist. The error reports names
// to accept that no function has.
func (r *run) leftBehind() error {
	known := map[string]bool{}
	for _, dir := range r.folders() {
		p := r.past(dir)
		if p.file == nil {
			continue
		}
		r.checkForeigns(dir, p, known)
		for _, fn := range p.file.Functions {
			known[fn.Name] = true
			if p.seen[fn.Name] || fn.Gone || r.isElsewhere(dir, fn.Name) {
				continue
			}
			if !slices.Contains(r.cfg.Accept, fn.Name) {
				r.report(dir, durableGone(p.path, fn))
				continue
			}
			*fn = layout.Function{Name: fn.Name, Gone: true}
			p.accepted = append(p.accepted, fn.Name+": accepted: it is gone; instances in flight stay where they are")
		}
	}
	for _, name := range r.cfg.Accept {
		if !known[name] && len(r.findings) == 0 {
			return fmt.Errorf("codegen: no durable function has the name %s: there are %s", name, strings.Join(sortedKeys(known), ", "))
		}
	}
	return nil
}

func sortedKeys(set map[string]bool) []string {
	list := []string{}
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	if len(list) == 0 {
		return []string{"none"}
	}
	return list
}

// isElsewhere reports whether any file of the folder declares a function, including files that
// this run does not build.
func (r *run) isElsewhere(dir, name string) bool {
	paths, err := r.ws.InFolder(dir)
	return err != nil || slices.ContainsFunc(paths, func(path string) bool {
		return !strings.HasSuffix(path, "_test.go") && r.sources.NamesDurable(path, name)
	})
}

// idleMigrations reports migrations for functions that the package does not have.
func (r *run) idleMigrations(t *target, pkg *source.Package) {
	for _, m := range pkg.Migrations {
		if !r.isElsewhere(t.Dir, m.Function) {
			r.report(t.Dir, migratesNothing(m))
		}
	}
}

// judgement is the comparison of one function with its past.
type judgement struct {
	*durable.Version
	fn            *layout.Function
	now           string // the hash of the present layout
	known         bool   // the file already has that layout
	asked, strand bool   // the user accepts the change; and accepts stranding instances

	past  durable.Past
	found []source.Diagnostic
	said  []string
}

// judge fills past, and updates the function's section of the file. If there are findings, the
// file is not written.
func (j *judgement) judge() []source.Diagnostic {
	j.migrations()
	for _, old := range slices.Clone(j.fn.Layouts) {
		if hash := old.Hash(); hash != j.now {
			j.compare(old, hash)
		}
	}
	j.again()
	j.meaning()
	if len(j.found) > 0 {
		return j.found
	}
	if j.fn.Sources = []string{j.Source}; !j.known {
		j.fn.Layouts = append(j.fn.Layouts, j.Layout)
	}
	j.fn.Gone = false
	j.fn.Stranded = slices.DeleteFunc(j.fn.Stranded, func(hash string) bool { return hash == j.now })
	j.fn.Accepted = slices.DeleteFunc(j.fn.Accepted, func(a layout.Accepted) bool { return a.Layout != j.now && j.fn.Layout(a.Layout) == nil })
	slices.Sort(j.past.Resumes)
	if j.asked && len(j.said) == 0 {
		j.say("there is nothing to accept")
	}
	return nil
}

func (j *judgement) say(format string, args ...any) {
	j.said = append(j.said, j.fn.Name+": "+fmt.Sprintf(format, args...))
}

func (j *judgement) report(d source.Diagnostic) { j.found = append(j.found, d) }

// migrations reads the function's migrations. A migration produces the layout that the function
// had when the migration was written; later changes are compared with that layout.
func (j *judgement) migrations() {
	was := j.fn.Migrated
	j.fn.Migrated = nil
	for _, m := range j.Function.Package.Migrations {
		if m.Function != j.fn.Name {
			continue
		}
		known := j.fn.Layout(m.From) != nil || slices.Contains(j.fn.Stranded, m.From)
		switch {
		case !known || m.From == j.now:
			j.report(migratesUnknown(m, j.others()))
			continue
		case j.migrated(m.From):
			j.report(migratesTwice(m))
			continue
		case !durable.IsMigration(j.Function.Package, m.Func):
			j.report(notAMigration(m))
			continue
		}
		to := j.now
		for _, w := range was {
			if w.From == m.From && j.fn.Layout(w.To) != nil && w.To != m.From {
				to = w.To
			}
		}
		j.fn.Migrated = append(j.fn.Migrated, layout.Migrated{From: m.From, To: to})
		j.past.Migrations = append(j.past.Migrations, durable.Migration{From: m.From, To: to, Func: m.Func})
	}
	slices.SortFunc(j.past.Migrations, func(a, b durable.Migration) int { return strings.Compare(a.From, b.From) })
}

// others returns the hashes of the other layouts, which may need a migration.
func (j *judgement) others() []string {
	list := slices.Clone(j.fn.Stranded)
	for _, l := range j.fn.Layouts {
		if hash := l.Hash(); hash != j.now {
			list = append(list, hash)
		}
	}
	return list
}

func (j *judgement) migrated(hash string) bool {
	return slices.ContainsFunc(j.fn.Migrated, func(m layout.Migrated) bool { return m.From == hash })
}

// compare decides the fate of the instances of an older layout.
func (j *judgement) compare(old *layout.Layout, hash string) {
	for _, p := range old.Points {
		if j.Layout.Point(p.Name) == nil && !slices.Contains(j.fn.Removed, p.Name) {
			j.fn.Removed = append(j.fn.Removed, p.Name)
		}
	}
	if j.migrated(hash) {
		return
	}
	found := layout.Compare(old, j.Layout)
	fatal := slices.ContainsFunc(found, func(d layout.Difference) bool { return d.Fatal })
	if fatal && j.asked && j.strand {
		j.fn.Layouts = slices.DeleteFunc(j.fn.Layouts, func(l *layout.Layout) bool { return l == old })
		j.fn.Stranded = append(j.fn.Stranded, hash)
		j.say("instances of layout %s are left behind, stuck", hash)
		return
	}
	open := false
	for _, d := range found {
		accepted := layout.Accepted{Layout: hash, What: d.What}
		switch {
		case slices.Contains(j.fn.Accepted, accepted):
		case j.asked && !fatal:
			j.fn.Accepted = append(j.fn.Accepted, accepted)
			j.say("accepted: %s; instances of layout %s continue", d.What, hash)
		default:
			open = true
			j.report(changedLayout(j.Version, hash, d, fatal))
		}
	}
	if !open {
		j.past.Resumes = append(j.past.Resumes, hash)
	}
}

// again reports points, and the function itself, whose names were removed and are back.
func (j *judgement) again() {
	for _, p := range j.Layout.Points {
		if !slices.Contains(j.fn.Removed, p.Name) {
			continue
		}
		switch {
		case j.known, j.asked:
			j.fn.Removed = slices.DeleteFunc(j.fn.Removed, func(name string) bool { return name == p.Name })
			if !j.known {
				j.say("accepted: the point %s is back", p.Name)
			}
		default:
			j.report(pointAgain(j.Version, p.Name))
		}
	}
	if j.fn.Gone && !j.asked {
		j.report(functionAgain(j.Version))
	} else if j.fn.Gone {
		j.say("accepted: it is back")
	}
}

// meaning reports a source that differs from the accepted one, if instances would continue with
// it and nothing else has to be decided first.
func (j *judgement) meaning() {
	if len(j.fn.Sources) == 0 || slices.Contains(j.fn.Sources, j.Source) || !j.known && len(j.past.Resumes) == 0 || len(j.found) > 0 {
		return
	}
	if !j.asked {
		j.report(changedMeaning(j.Version))
		return
	}
	j.say("accepted: the changed source; instances in flight continue with it")
}

// position returns the position of a line of a layout file.
func position(path string, line int) token.Position {
	if line == 0 {
		return token.Position{Filename: path}
	}
	return token.Position{Filename: path, Line: line, Column: 1}
}
