package codegen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/layout"
	"github.com/movenext/movenext/codegen/internal/load"
)

// Durable functions of other modules. Each is compared with its past where it is generated, and
// its generated file lists the layouts that it can resume. An upgrade may bring a version that no
// longer knows a layout that this program has saved. So the layout file of a package that uses
// such functions lists the hashes with which they may have saved instances, and the upgraded
// function must still know each of them.

// foreign is a durable function of another module, as its generated file describes it.
type foreign struct {
	name, path string
	layout     string
	known      map[string]bool // layouts that it resumes or migrates, including its own
}

var (
	foreignVariable = regexp.MustCompile(`(?m)^var (\w+) = \w+\.Function\[.*\]\{\s+Name:\s+"([^"\n]*)",\s+Layout:\s+"([^"\n]*)",\n((?s:.*?))\s+Points:`)
	foreignLayout   = regexp.MustCompile(`(?m)(?:^\s+|From: )"([0-9a-f]+)",`)
)

// foreigns returns the durable functions of other modules that the package of a folder uses.
func (r *run) foreigns(dir string) (list []foreign) {
	for _, p := range r.ws.Roots {
		if !load.Local(p) || load.Folder(p) != dir || p.ForTest != "" || strings.HasSuffix(p.Name, "_test") || load.IsTestMain(p) {
			continue
		}
		var text []byte
		for _, dep := range r.ws.Imports(p) {
			if dep.Module == nil || load.Local(dep) || !hasLayouts(dep) {
				continue
			}
			if text == nil {
				text = r.text(p)
			}
			for _, f := range declaredFunctions(dep) {
				if bytes.Contains(text, []byte("."+f.variable)) {
					list = append(list, f.foreign)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b foreign) int { return strings.Compare(a.path+" "+a.name, b.path+" "+b.name) })
	return list
}

func hasLayouts(p *packages.Package) bool {
	if len(p.GoFiles) == 0 {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(p.GoFiles[0]), layout.Name))
	return err == nil
}

// text returns the source of a package.
func (r *run) text(p *packages.Package) []byte {
	text := []byte{}
	for _, path := range p.GoFiles {
		data, err := r.ws.Read(path)
		if err == nil {
			text = append(text, data...)
		}
	}
	return text
}

// variable is a durable function's Go variable.
type variable struct {
	foreign
	variable string
}

// declaredFunctions returns the durable functions that a package's generated files declare.
func declaredFunctions(p *packages.Package) (list []variable) {
	for _, path := range p.GoFiles {
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(path, "_async.go") {
			continue
		}
		for _, m := range foreignVariable.FindAllSubmatch(data, -1) {
			v := variable{foreign{string(m[2]), p.PkgPath, string(m[3]), map[string]bool{string(m[3]): true}}, string(m[1])}
			for _, known := range foreignLayout.FindAllSubmatch(m[4], -1) {
				v.known[string(known[1])] = true
			}
			list = append(list, v)
		}
	}
	return list
}

// checkForeigns compares the foreign durable functions that a package uses with those it has
// used.
func (r *run) checkForeigns(dir string, p *past, names map[string]bool) {
	used := r.foreigns(dir)
	var rest []layout.Import
	for _, i := range p.file.Imports {
		names[i.Name] = true
		at := slices.IndexFunc(used, func(f foreign) bool { return f.name == i.Name && f.path == i.From })
		switch {
		case at >= 0 && used[at].known[i.Layout]:
			rest = append(rest, i)
		case slices.Contains(r.cfg.Accept, i.Name):
			p.accepted = append(p.accepted, fmt.Sprintf("%s: accepted: %s does not know layout %s; instances that have it stay where they are", i.Name, i.From, i.Layout))
		default:
			r.report(dir, foreignForgets(p.path, i, at >= 0))
		}
	}
	for _, f := range used {
		names[f.name] = true
		is := layout.Import{Name: f.name, From: f.path, Layout: f.layout}
		if !slices.ContainsFunc(rest, func(i layout.Import) bool { return i.Name == is.Name && i.From == is.From && i.Layout == is.Layout }) {
			rest = append(rest, is)
		}
	}
	p.file.Imports = rest
}
