package standard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/lab/prove/annotated"
	"github.com/movenext/movenext/lab/prove/batch"
)

// Report is the outcome for the functions of the packages.
type Report struct {
	Packages  int
	Functions int               // annotated
	Lowered   int               // of those; the others were refused
	Refused   map[string]int    // by reason
	Excluded  map[string]string // packages that do not type-check as a copy, and why
	Defects   []string          // faults that the generator reported of itself
}

// Lower copies the packages of the standard library that match patterns, and the internal
// packages that they import, into dir. It annotates every function, and lowers all that are not
// refused. It blocks for minutes if the patterns are "std", and writes the remaining work to
// progress after each round. The current folder must be in this repository.
func Lower(dir string, progress io.Writer, patterns ...string) (*Report, error) {
	packages, err := list(patterns)
	if err != nil {
		return nil, err
	}
	if err := batch.WriteModule(dir, modulePath); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	l := &lowering{dir: dir, files: map[string]*annotated.File{}, report: &Report{Refused: map[string]int{}, Excluded: map[string]string{}}}
	for _, p := range packages {
		files, err := copyPackage(p, dir)
		if err != nil {
			return nil, err
		}
		l.report.Packages++
		for _, f := range files {
			l.files[f.Path] = f
			l.report.Functions += f.Functions
		}
	}
	for {
		result, err := codegen.Generate(codegen.Config{Dir: dir, DryRun: true, Env: append(os.Environ(), "CGO_ENABLED=0")})
		if err != nil {
			return nil, err
		}
		if len(result.Diagnostics) == 0 {
			break
		}
		before, removed := l.countAnnotated(), l.removed
		fmt.Fprintf(progress, "%d functions annotated, %d findings\n", before, len(result.Diagnostics))
		if err := l.withdraw(result.Diagnostics); err != nil {
			return nil, err
		}
		if l.countAnnotated() == before && l.removed == removed { // the next round would be equal
			return nil, fmt.Errorf("standard: a finding that no annotation is the cause of: %s", result.Diagnostics[0])
		}
	}
	l.report.Lowered = l.countAnnotated()
	return l.report, nil
}

type lowering struct {
	dir    string
	files  map[string]*annotated.File
	report *Report

	removed int // packages that do not compile even without annotations
}

// countAnnotated returns how many functions are still annotated.
func (l *lowering) countAnnotated() (n int) {
	for _, f := range l.files {
		n += f.Functions
	}
	return n
}

// withdraw withdraws the annotations of functions with findings, and of whole packages that do
// not type-check.
func (l *lowering) withdraw(found []codegen.Diagnostic) error {
	byFile := map[string][]codegen.Diagnostic{}
	for _, d := range found {
		byFile[d.Pos.Filename] = append(byFile[d.Pos.Filename], d)
	}
	broken := map[string]string{} // by folder
	for _, d := range found {
		if d.Category == "source" {
			broken[filepath.Dir(d.Pos.Filename)] = d.String()
		}
	}
	var errs []error
	for folder, why := range broken {
		errs = append(errs, l.exclude(folder, why))
	}
	for path, list := range byFile {
		if src := l.files[path]; src != nil {
			reasons, err := src.Withdraw(list)
			errs = append(errs, err)
			for _, d := range reasons {
				l.count(d)
			}
		} else if _, excluded := l.report.Excluded[l.name(filepath.Dir(path))]; !excluded {
			errs = append(errs, fmt.Errorf("standard: a finding in no copied file: %s", list[0]))
		}
	}
	return errors.Join(errs...)
}

func (l *lowering) name(folder string) string {
	rel, err := filepath.Rel(l.dir, folder)
	if err != nil {
		return folder
	}
	return filepath.ToSlash(rel)
}

// exclude withdraws the annotations of a package. The second time it removes the package's copy,
// because it imports packages that only the original may import. Importers of the copy are
// excluded in the next round.
func (l *lowering) exclude(folder, why string) error {
	if _, done := l.report.Excluded[l.name(folder)]; done {
		l.removed++
		return os.RemoveAll(folder)
	}
	l.report.Excluded[l.name(folder)] = strings.ReplaceAll(why, l.dir+string(filepath.Separator), "")
	l.report.Packages--
	for path, src := range l.files {
		if filepath.Dir(path) == folder {
			l.report.Functions -= src.Functions
			delete(l.files, path)
			if err := src.Clear(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lowering) count(d codegen.Diagnostic) {
	if d.Category == "internal" {
		l.report.Defects = append(l.report.Defects, strings.ReplaceAll(d.String(), l.dir+string(filepath.Separator), ""))
		return
	}
	l.report.Refused[annotated.Reason(d)]++
}
