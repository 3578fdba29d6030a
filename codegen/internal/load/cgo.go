package load

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Files that import "C".
//
// The compiler reads such a file as rewritten by cgo, in the build cache. A package is checked
// with the rewritten files, so that all types are known, unless one of the original files has
// annotated functions: machines are made from the file's own text. Then these files are checked
// unchanged, and values from C have no type. So an annotated function that uses such values is
// refused (see ofC); the other functions of the file are unaffected. Type errors about such
// values are not the user's.
//
// Generated code cannot call C itself. It would have to repeat the comment before the source's
// import "C", and C would compile that comment twice: a static variable in it would become two
// variables.

// compiledFiles returns the files to check p with, and reports whether C is missing in them.
func (s *Sources) compiledFiles(p *packages.Package) (paths []string, withoutC bool) {
	if !Local(p) || !slices.ContainsFunc(p.CompiledGoFiles, isMadeByCgo) {
		return p.CompiledGoFiles, false
	}
	for _, path := range p.GoFiles {
		if src := s.Get(path); src.Syntax != nil && source.ImportsC(src.Syntax) && src.Annotates() {
			return p.GoFiles, true
		}
	}
	return p.CompiledGoFiles, false
}

// isMadeByCgo reports whether a file is in the build cache, where files have no extension.
func isMadeByCgo(path string) bool { return filepath.Ext(path) == "" }
