package durable

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Durable functions of other modules. Each is compared with its past where it is generated, and
// its generated file lists the layouts that it can resume. An upgrade may bring a version that no
// longer knows a layout that this program has saved. So the layout file of a package that uses
// such functions lists the hashes with which they may have saved instances, and the upgraded
// function must still know each of them.

// generated is a durable function as a generated file describes it.
type generated struct {
	variable, name, layout string
	known                  map[string]bool // layouts that it resumes or migrates, including its own
	path                   string          // of its package, if that is another one
}

var (
	generatedVariable = regexp.MustCompile(`(?m)^var (\w+) = \w+\.Function\[.*\]\{\s+Name:\s+"([^"\n]*)",\s+Layout:\s+"([^"\n]*)",((?s:.*?))\s+Points:`)
	generatedLayout   = regexp.MustCompile(`(?m)(?:^\s+|From: )"([0-9a-f]+)",`)
)

// readGenerated returns the durable functions that a file declares, if it has the name of a
// generated one.
func readGenerated(readFile func(string) ([]byte, error), path string) (list []generated) {
	data, err := readFile(path)
	if err != nil || source.FileSource(path) == "" {
		return nil
	}
	for _, m := range generatedVariable.FindAllSubmatch(data, -1) {
		f := generated{variable: string(m[1]), name: string(m[2]), layout: string(m[3]), known: map[string]bool{string(m[3]): true}}
		for _, known := range generatedLayout.FindAllSubmatch(m[4], -1) {
			f.known[string(known[1])] = true
		}
		list = append(list, f)
	}
	return list
}

// foreigns returns the durable functions of other modules that the package of a folder uses.
func (k *Kind) foreigns(dir string) (list []generated) {
	for _, p := range k.ws.Roots {
		if !load.Local(p) || load.Folder(p) != dir || p.ForTest != "" || strings.HasSuffix(p.Name, "_test") || load.IsTestMain(p) {
			continue
		}
		var text []byte
		for _, dep := range k.ws.Imports(p) {
			if dep.Module == nil || load.Local(dep) || !hasLayouts(dep) {
				continue
			}
			if text == nil {
				text = k.text(p)
			}
			for _, path := range dep.GoFiles {
				for _, f := range readGenerated(os.ReadFile, path) {
					if bytes.Contains(text, []byte("."+f.variable)) {
						f.path = dep.PkgPath
						list = append(list, f)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b generated) int { return strings.Compare(a.path+" "+a.name, b.path+" "+b.name) })
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
func (k *Kind) text(p *packages.Package) []byte {
	text := []byte{}
	for _, path := range p.GoFiles {
		data, err := k.ws.Read(path)
		if err == nil {
			text = append(text, data...)
		}
	}
	return text
}

// checkForeigns compares the foreign durable functions that a package uses with those it has
// used. It adds the names of all to names.
func (k *Kind) checkForeigns(dir string, in *folder, names map[string]bool) (found []source.Diagnostic) {
	used := k.foreigns(dir)
	var rest []layout.Import
	for _, i := range in.file.Imports {
		names[i.Name] = true
		at := slices.IndexFunc(used, func(f generated) bool { return f.name == i.Name && f.path == i.From })
		switch {
		case at >= 0 && used[at].known[i.Layout]:
			rest = append(rest, i)
		case slices.Contains(k.accept, i.Name):
			in.said = append(in.said, fmt.Sprintf("%s: accepted: %s does not know layout %s; instances that have it stay where they are", i.Name, i.From, i.Layout))
		default:
			found = append(found, foreignForgets(in.path, i, at >= 0))
		}
	}
	for _, f := range used {
		names[f.name] = true
		is := layout.Import{Name: f.name, From: f.path, Layout: f.layout}
		if !slices.ContainsFunc(rest, func(i layout.Import) bool { return i.Name == is.Name && i.From == is.From && i.Layout == is.Layout }) {
			rest = append(rest, is)
		}
	}
	in.file.Imports = rest
	return found
}
