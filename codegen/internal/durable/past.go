package durable

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The past of durable functions. Each folder with durable functions has a file of the layouts
// that instances in flight may have been saved with (package layout). A run compares the present
// layout of each function with that file, and writes the file together with the generated ones:
// all or none.
//
// Functions in test files have no past: their instances end with the test.

// folder is the layout file of a folder while a run updates it.
type folder struct {
	path string
	old  []byte // nil: there is no file

	file   *layout.File // nil: the file is damaged
	damage []source.Diagnostic
	seen   map[string]bool // functions of this run
	said   []string        // messages for the user
}

// folder returns the layout file of a folder. The caller holds the lock.
func (k *Kind) folder(dir string) *folder {
	if f := k.folders[dir]; f != nil {
		return f
	}
	f := &folder{path: filepath.Join(dir, layout.Name), file: &layout.File{}, seen: map[string]bool{}}
	k.folders[dir] = f
	old, err := k.ws.Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f
	case err == nil:
		f.old = old
		f.file, err = layout.Parse(old)
	}
	if err != nil {
		f.file, f.damage = nil, []source.Diagnostic{layoutsDamaged(f.path, err)}
	}
	return f
}

// Beside returns the file that a folder has besides the generated ones, and what the run has
// accepted there, one line each. The path is empty if there is to be no file.
func (k *Kind) Beside(dir string) (path string, data []byte, said []string) {
	f := k.folders[dir]
	if f == nil || f.file == nil || f.old == nil && len(f.file.Functions)+len(f.file.Imports) == 0 {
		return "", nil, nil
	}
	return f.path, f.file.Bytes(), f.said
}

// past is what later code must know about earlier versions of a function.
type past struct {
	resumes    []string    // the layouts whose instances continue as they are
	migrations []migration // for other layouts
}

// since compares the function with its past.
func (lo *lowering) since(present *layout.Layout) past {
	if strings.HasSuffix(lo.fn.File.Path, "_test.go") {
		return past{}
	}
	lo.mu.Lock()
	defer lo.mu.Unlock()
	f := lo.folder(lo.fn.Package.Dir)
	switch {
	case f.file == nil:
		lo.findings = f.damage
		return past{}
	case f.seen[lo.name]:
		lo.refuse(sameDurableName(lo))
		return past{}
	}
	f.seen[lo.name] = true
	j := &judgement{
		lowering: lo, record: f.file.Add(lo.name), present: present, now: present.Hash(),
		code: lo.sourceHash(), asked: slices.Contains(lo.accept, lo.name),
	}
	j.known = j.record.Layout(j.now) != nil
	if f.old == nil && lo.hadPast(j.now) {
		lo.refuse(layoutsMissing(lo))
		return past{}
	}
	j.judge()
	f.said = append(f.said, j.said...)
	return j.past
}

// hadPast reports whether a function without a layout file was generated with another layout than
// its present one, or knew older layouts.
func (lo *lowering) hadPast(now string) bool {
	return slices.ContainsFunc(readGenerated(lo.ws.Read, source.FileTwin(lo.fn.File.Path)), func(f generated) bool {
		return f.name == lo.name && (f.layout != now || len(f.known) > 1)
	})
}

// Settle compares folders with their past after the last function: it reports functions and
// migrations that are left over. The error is about names to accept that no function has.
func (k *Kind) Settle(dirs []string, report func(dir string, found ...source.Diagnostic)) error {
	known := map[string]bool{}
	for _, dir := range dirs {
		report(dir, k.settle(dir, known)...)
	}
	for _, list := range k.migrations {
		for _, m := range list {
			// In a test it is an example: functions there have no past.
			if !strings.HasSuffix(m.pos.Filename, "_test.go") && slices.Contains(dirs, m.dir) && !k.isDeclared(m.dir, m.function) {
				report(m.dir, migratesNothing(m))
			}
		}
	}
	for _, name := range k.accept {
		if !known[name] {
			names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			return fmt.Errorf("codegen: no durable function has the name %s: there are %s", name, cmp.Or(names, "none"))
		}
	}
	return nil
}

// settle reports functions that have a past in a folder but no longer exist. It adds the names of
// all to known.
func (k *Kind) settle(dir string, known map[string]bool) []source.Diagnostic {
	f := k.folder(dir)
	if f.file == nil {
		return f.damage
	}
	found := k.checkForeigns(dir, f, known)
	for _, fn := range f.file.Functions {
		known[fn.Name] = true
		switch {
		case f.seen[fn.Name] || fn.Gone || k.isDeclared(dir, fn.Name):
		case slices.Contains(k.accept, fn.Name):
			*fn = layout.Function{Name: fn.Name, Gone: true}
			f.said = append(f.said, fn.Name+": accepted: it is gone; instances in flight stay where they are")
		default:
			found = append(found, durableGone(f.path, fn))
		}
	}
	return found
}

// judgement is the comparison of one function with its past.
type judgement struct {
	*lowering
	record  *layout.Function // of the file
	present *layout.Layout
	now     string // its hash
	code    string // the hash of the source
	known   bool   // the file already has the present layout
	asked   bool   // the user accepts the change

	past past
	said []string
}

// judge fills past, and updates the function's section of the file. If there are findings, the
// file is not written.
func (j *judgement) judge() {
	j.migrate()
	for _, old := range slices.Clone(j.record.Layouts) {
		if hash := old.Hash(); hash != j.now {
			j.compare(old, hash)
		}
	}
	j.again()
	j.meaning()
	if len(j.findings) > 0 {
		return
	}
	if j.record.Sources = []string{j.code}; !j.known {
		j.record.Layouts = append(j.record.Layouts, j.present)
	}
	j.record.Gone = false
	j.record.Stranded = slices.DeleteFunc(j.record.Stranded, func(hash string) bool { return hash == j.now })
	j.record.Accepted = slices.DeleteFunc(j.record.Accepted, func(a layout.Accepted) bool { return a.Layout != j.now && j.record.Layout(a.Layout) == nil })
	slices.Sort(j.past.resumes)
	if j.asked && len(j.said) == 0 {
		j.say("there is nothing to accept")
	}
}

func (j *judgement) say(format string, args ...any) {
	j.said = append(j.said, j.record.Name+": "+fmt.Sprintf(format, args...))
}

// migrate reads the function's migrations. A migration produces the layout that the function
// had when the migration was written; later changes are compared with that layout.
func (j *judgement) migrate() {
	was := j.record.Migrated
	j.record.Migrated = nil
	for _, m := range j.migrations[j.fn.Package.Path] {
		if m.function != j.record.Name {
			continue
		}
		known := j.record.Layout(m.from) != nil || slices.Contains(j.record.Stranded, m.from)
		switch {
		case !known || m.from == j.now:
			j.refuse(migratesUnknown(m, j.others()))
			continue
		case j.migrated(m.from):
			j.refuse(migratesTwice(m))
			continue
		case !isMigration(j.fn.Package.Types.Scope().Lookup(m.goName)):
			j.refuse(notAMigration(m))
			continue
		}
		m.to = j.now
		for _, w := range was {
			if w.From == m.from && j.record.Layout(w.To) != nil && w.To != m.from {
				m.to = w.To
			}
		}
		j.record.Migrated = append(j.record.Migrated, layout.Migrated{From: m.from, To: m.to})
		j.past.migrations = append(j.past.migrations, m)
	}
	slices.SortFunc(j.past.migrations, func(a, b migration) int { return strings.Compare(a.from, b.from) })
}

// isMigration reports whether a declaration is a function with the signature of a migration.
func isMigration(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.TypeParams().Len() == 0 && !sig.Variadic() && sig.Params().Len() == 1 && sig.Results().Len() == 1 &&
		types.TypeString(sig.Params().At(0).Type(), nil) == "*"+source.DurablePath+".Saved" && isErrorType(sig.Results().At(0).Type())
}

// others returns the hashes of the other layouts, which may need a migration.
func (j *judgement) others() []string {
	list := slices.Clone(j.record.Stranded)
	for _, l := range j.record.Layouts {
		if hash := l.Hash(); hash != j.now {
			list = append(list, hash)
		}
	}
	return list
}

func (j *judgement) migrated(hash string) bool {
	return slices.ContainsFunc(j.record.Migrated, func(m layout.Migrated) bool { return m.From == hash })
}

// compare decides the fate of the instances of an older layout.
func (j *judgement) compare(old *layout.Layout, hash string) {
	for _, p := range old.Points {
		if j.present.Point(p.Name) == nil && !slices.Contains(j.record.Removed, p.Name) {
			j.record.Removed = append(j.record.Removed, p.Name)
		}
	}
	if j.migrated(hash) {
		return
	}
	found := layout.Compare(old, j.present)
	fatal := slices.ContainsFunc(found, func(d layout.Difference) bool { return d.Fatal })
	if fatal && j.asked && j.strand {
		j.record.Layouts = slices.DeleteFunc(j.record.Layouts, func(l *layout.Layout) bool { return l == old })
		j.record.Stranded = append(j.record.Stranded, hash)
		j.say("instances of layout %s are left behind", hash)
		return
	}
	var open []layout.Difference
	for _, d := range found {
		accepted := layout.Accepted{Layout: hash, What: d.What}
		switch {
		case slices.Contains(j.record.Accepted, accepted):
		case j.asked && !fatal:
			j.record.Accepted = append(j.record.Accepted, accepted)
			j.say("accepted: %s; instances of layout %s continue", d.What, hash)
		default:
			open = append(open, d)
		}
	}
	for _, d := range onceEach(open) {
		j.refuse(changedLayout(j.lowering, hash, d, fatal))
	}
	if len(open) == 0 {
		j.past.resumes = append(j.past.resumes, hash)
	}
}

// onceEach returns the differences, and of those with one cause only the first, with their count.
func onceEach(list []layout.Difference) (once []layout.Difference) {
	more := map[string]int{}
	for _, d := range list {
		if d.Cause != "" {
			more[d.Cause]++
		}
	}
	for _, d := range list {
		n := more[d.Cause]
		switch {
		case d.Cause != "" && n == 0:
			continue // it has been reported
		case n > 1:
			d.What += fmt.Sprintf(" and at %d more points", n-1)
		}
		delete(more, d.Cause)
		once = append(once, d)
	}
	return once
}

// again reports points, and the function itself, whose names were removed and are back.
func (j *judgement) again() {
	for _, p := range j.present.Points {
		if !slices.Contains(j.record.Removed, p.Name) {
			continue
		}
		switch {
		case j.known, j.asked:
			j.record.Removed = slices.DeleteFunc(j.record.Removed, func(name string) bool { return name == p.Name })
			if !j.known {
				j.say("accepted: the point %s is back", p.Name)
			}
		default:
			j.refuse(pointAgain(j.lowering, p.Name))
		}
	}
	if j.record.Gone && !j.asked {
		j.refuse(functionAgain(j.lowering))
	} else if j.record.Gone {
		j.say("accepted: it is back")
	}
}

// meaning reports a source that differs from the accepted one, if instances would continue with
// it and nothing else has to be decided first.
func (j *judgement) meaning() {
	if len(j.record.Sources) == 0 || slices.Contains(j.record.Sources, j.code) || !j.known && len(j.past.resumes) == 0 || len(j.findings) > 0 {
		return
	}
	if !j.asked {
		j.refuse(changedMeaning(j.lowering))
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
