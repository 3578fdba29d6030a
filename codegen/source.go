package codegen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"sync"

	"golang.org/x/tools/go/packages"
)

// source is one file of a local package, parsed once however many variants of
// its package contain it.
type source struct {
	path      string
	data      []byte
	syntax    *ast.File // nil if it could not be read
	err       error     // reading or parsing
	generated bool      // carries our header

	functions []*annotated // in the order of the file

	// checked is a copy of syntax with the stubs of the twins to come (stubs.go).
	checked     *ast.File
	stubs       []stub
	stubImports []ast.Decl
}

// sources parses the local files of a workspace in parallel.
type sources struct {
	cfg  *Config
	fset *token.FileSet

	mu     sync.Mutex
	byPath map[string]func() *source
}

func newSources(cfg *Config, fset *token.FileSet) *sources {
	return &sources{cfg: cfg, fset: fset, byPath: map[string]func() *source{}}
}

// get returns the parsed file at path.
func (s *sources) get(path string) *source {
	s.mu.Lock()
	once := s.byPath[path]
	if once == nil {
		once = sync.OnceValue(func() *source { return s.parse(path) })
		s.byPath[path] = once
	}
	s.mu.Unlock()
	return once()
}

func (s *sources) parse(path string) *source {
	src := &source{path: path}
	if src.data, src.err = s.cfg.read(path); src.err != nil {
		return src
	}
	src.generated = isGenerated(src.data)
	src.syntax, src.err = parser.ParseFile(s.fset, path, src.data, parser.ParseComments|parser.SkipObjectResolution)
	src.checked = src.syntax
	return src
}

// all parses the files of every package in list.
func (s *sources) all(list []*packages.Package) {
	limit := make(chan struct{}, 16)
	var wg sync.WaitGroup
	for _, p := range list {
		for _, path := range p.GoFiles {
			wg.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				s.get(path)
			})
		}
	}
	wg.Wait()
}

// mentionsDirective reports whether the file may hold an annotation.
func (s *source) mentionsDirective() bool {
	return !s.generated && bytes.Contains(s.data, []byte("movenext:"))
}

// problems turns what was wrong with reading or parsing into findings.
func (s *source) problems() []Diagnostic {
	switch err := s.err.(type) {
	case nil:
		return nil
	case scanner.ErrorList:
		var list []Diagnostic
		for _, e := range err {
			pos := e.Pos
			if pos.Filename == "" {
				pos.Filename = s.path
			}
			list = append(list, syntaxError(pos, e.Msg))
		}
		return list
	default:
		return []Diagnostic{unreadable(s.path, err)}
	}
}
