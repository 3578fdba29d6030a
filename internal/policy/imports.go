package policy

import (
	"go/token"
	"path"
	"strconv"
	"strings"
)

// imports are the import statements of one module's packages, as a graph.
// Packages of the module are named by their folder ("." is the root), all
// others by their import path.
type imports struct {
	packages []string               // in order
	edges    map[string][]statement // by importing package
}

// statement is one import in one file.
type statement struct {
	imported string
	ours     bool // imported is a folder of this module
	file     *GoFile
	pos      token.Pos
}

func (s statement) line() int { return s.file.Line(s.pos) }

// importsOf reads the graph of the tree's main module.
//
// It parses the files instead of querying the go command for packages, so that the files
// of all systems and tags count, and nothing has to compile.
func importsOf(t *Tree) *imports {
	order, byFolder := folders(t.Main())
	g := &imports{packages: order, edges: map[string][]statement{}}
	for _, dir := range order {
		for _, f := range byFolder[dir] {
			for _, spec := range f.Syntax.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue // the parser accepts it; the compiler will not
				}
				folder, ours := t.folderOf(name)
				if ours {
					name = folder
				}
				g.edges[dir] = append(g.edges[dir], statement{name, ours, f, spec.Pos()})
			}
		}
	}
	return g
}

// folderOf returns the folder of a package of the tree's main module.
func (t *Tree) folderOf(importPath string) (folder string, ours bool) {
	if importPath == t.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.Module+"/")
}

// matches reports whether one of the patterns matches name: "a/b" matches that package,
// "a/b/..." that package and all below, "..." every package.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		below, deep := strings.CutSuffix(p, "...")
		switch {
		case deep && (below == "" || strings.HasPrefix(name+"/", below)):
			return true
		case !deep && name == path.Clean(p):
			return true
		}
	}
	return false
}
