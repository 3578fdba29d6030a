package load

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// File is one file of a local package. It is parsed once, however many variants of its package
// contain it.
type File struct {
	path      string
	data      []byte
	Syntax    *ast.File // nil if it could not be read
	err       error     // from reading or parsing
	Generated bool      // it has our header

	Functions []*annotated    // in the order of the file
	Others    []*annotated    // those of another kind, likewise
	types     []*ast.TypeSpec // annotated types, likewise

	// checked is a copy of Syntax with the stubs of the future twins (stubs.go).
	checked     *ast.File
	stubs       []stub
	stubImports []ast.Decl
	entered     bool // the stubs of entries have their companions
}

// Annotates reports whether the file has functions or types for which something is generated.
func (s *File) Annotates() bool { return len(s.Functions)+len(s.Others)+len(s.types) > 0 }

// Sources parses the local files of a workspace in parallel.
type Sources struct {
	cfg  *Settings
	fset *token.FileSet
	kept *trees

	mu     sync.Mutex
	byPath map[string]*LazyFile
}

// LazyFile is read and parsed on demand, since most files of a large module contain no annotation
// and need not be parsed.
type LazyFile struct {
	Data   func() ([]byte, error)
	parsed func() *File

	Code, API func() source.Checksum // see codegen/internal/source/exports.go
}

// NewSources returns the files of a workspace, none of which has been read.
func NewSources(ws *Workspace) *Sources {
	return &Sources{cfg: ws.Settings, fset: ws.Fset, kept: &ws.trees, byPath: map[string]*LazyFile{}}
}

// trees are the syntax trees of files. Nothing changes a tree, so the next run with the same
// workspace takes those of files that have the same text.
type trees struct {
	mu     sync.Mutex
	byPath map[string]tree
}

type tree struct {
	text   []byte
	syntax *ast.File
	err    error
}

// parse returns the tree of a file.
func (t *trees) parse(fset *token.FileSet, path string, text []byte) (*ast.File, error) {
	t.mu.Lock()
	kept, found := t.byPath[path]
	t.mu.Unlock()
	if found && bytes.Equal(kept.text, text) {
		return kept.syntax, kept.err
	}
	parsed := tree{text: text}
	parsed.syntax, parsed.err = parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byPath == nil {
		t.byPath = map[string]tree{}
	}
	t.byPath[path] = parsed
	return parsed.syntax, parsed.err
}

// Get returns the parsed file at path.
func (s *Sources) Get(path string) *File { return s.Lazy(path).parsed() }

// Lazy returns the file at path, which is read and parsed on demand.
func (s *Sources) Lazy(path string) *LazyFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byPath[path]
	if l == nil {
		l = &LazyFile{Data: sync.OnceValues(func() ([]byte, error) { return s.cfg.Read(path) })}
		l.parsed = sync.OnceValue(func() *File { return s.parse(path, l) })
		l.Code = sync.OnceValue(func() source.Checksum { return l.parsed().sum(s.fset, source.Code) })
		l.API = sync.OnceValue(func() source.Checksum { return l.parsed().sum(s.fset, source.API) })
		s.byPath[path] = l
	}
	return l
}

// mayAnnotate reports whether one of the files at paths may contain an annotation, or cannot be
// read.
func (s *Sources) mayAnnotate(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		data, err := s.Lazy(path).Data()
		return err != nil || mentionsDirective(data)
	})
}

func mentionsDirective(data []byte) bool {
	return (bytes.Contains(data, []byte("movenext:")) || mentionsMisspelt(data)) && !source.IsGenerated(data)
}

// commentOfAsync finds lines with a comment that ends in async, in upper or lower case.
var commentOfAsync = regexp.MustCompile(`(?m)^[ \t]*(//|/\*).*(?i:async)\W*$`)

// mentionsMisspelt reports whether data may contain a comment that is meant as an annotation.
func mentionsMisspelt(data []byte) bool {
	if !bytes.Contains(data, []byte("sync")) && !bytes.Contains(data, []byte("SYNC")) {
		return false
	}
	return slices.ContainsFunc(commentOfAsync.FindAll(data, -1), func(line []byte) bool { return source.IsMisspelt(string(bytes.TrimSpace(line))) })
}

func (s *Sources) parse(path string, l *LazyFile) *File {
	src := &File{path: path}
	if src.data, src.err = l.Data(); src.err != nil {
		// removed since the go command has listed it
		src.Generated = source.FileSource(path) != "" && errors.Is(src.err, fs.ErrNotExist)
		return src
	}
	src.Generated = source.IsOurs(path, src.data)
	src.Syntax, src.err = s.kept.parse(s.fset, path, src.data)
	src.checked = src.Syntax
	return src
}

// prepare reads all files of list in advance, in parallel, and parses those of packages with
// annotations.
func (s *Sources) prepare(list []*packages.Package) {
	limit := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, p := range list {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if s.mayAnnotate(p.GoFiles) {
				for _, path := range p.GoFiles {
					s.Get(path)
				}
			}
		})
	}
	wg.Wait()
}

// problems turns errors of reading or parsing into findings.
func (s *File) problems() []source.Diagnostic {
	switch err := s.err.(type) {
	case nil:
		return nil
	case scanner.ErrorList:
		var list []source.Diagnostic
		for _, e := range err {
			pos := e.Pos
			if pos.Filename == "" {
				pos.Filename = s.path
			}
			list = append(list, syntaxError(pos, e.Msg))
		}
		return list
	default:
		return []source.Diagnostic{source.Unreadable(s.path, err)}
	}
}

// sum returns the hash of a part of the file. A file that does not parse is hashed as a whole, and
// so is a generated one.
func (s *File) sum(fset *token.FileSet, part func([]byte, *token.FileSet, *ast.File) []byte) source.Checksum {
	if s.err != nil || s.Generated {
		return sha256.Sum256(s.data)
	}
	return sha256.Sum256(part(s.data, fset, s.Syntax))
}
