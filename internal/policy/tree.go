package policy

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Tree is what the rules check.
type Tree struct {
	Module string    // import path of the module at the root
	Files  []File    // everything that is committed or about to be, sorted by path
	Go     []*GoFile // the Go files outside of testdata folders, in the same order
}

// File is one file of a tree.
type File struct {
	Path string // slash-separated, relative to the root
	Text []byte
}

// GoFile is one parsed Go file of a tree.
type GoFile struct {
	Path      string
	Dir       string // folder of Path; "." is the root
	ModuleDir string // folder of the go.mod that the file belongs to; "." is the root
	Lines     int
	Test      bool // its name ends in _test.go
	Generated bool // it has the go command's mark of generated files
	Syntax    *ast.File

	text      []byte
	positions *token.FileSet
}

// Line returns the line of pos in the file itself. A //line directive, which
// generated code may contain, does not change the answer.
func (f *GoFile) Line(pos token.Pos) int {
	return f.positions.PositionFor(pos, false).Line
}

// Open reads the tree at root: the files that git tracks or would add. If git is
// missing or does not know root (the sources were unpacked from an archive), it
// reads every file.
//
// The folders are walked even if git has already named the files. Using only
// git's list would be shorter and wrong: the go command caches the results of
// tests, and notices changes only in files and folders that a test itself has
// opened.
func Open(root string) (*Tree, error) {
	known := map[string]bool{}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	if out, err := list.Output(); err == nil {
		for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			known[name] = true
		}
	}
	return read(os.DirFS(root), func(name string) bool { return len(known) == 0 || known[name] })
}

// Read reads the tree of all files in fsys.
func Read(fsys fs.FS) (*Tree, error) {
	return read(fsys, func(string) bool { return true })
}

func read(fsys fs.FS, keep func(name string) bool) (*Tree, error) {
	t := &Tree{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case !entry.Type().IsRegular() || !keep(name):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has just been removed
		}
		t.Files = append(t.Files, File{name, text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("policy: reading the tree: %w", err)
	}
	return t, t.parse()
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// parse fills in the fields that depend on the texts: the module's path and the syntax trees.
func (t *Tree) parse() error {
	modules := map[string]bool{}
	for _, f := range t.Files {
		if path.Base(f.Path) != "go.mod" {
			continue
		}
		modules[path.Dir(f.Path)] = true
		if m := moduleLine.FindSubmatch(f.Text); m != nil && f.Path == "go.mod" {
			t.Module = string(m[1])
		}
	}
	if t.Module == "" {
		return errors.New("policy: there is no go.mod with a module line at the root")
	}
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".go" || outsideBuild(f.Path) {
			continue
		}
		parsed, err := parseGo(f)
		if err != nil {
			return err
		}
		parsed.ModuleDir = parsed.Dir
		for !modules[parsed.ModuleDir] {
			parsed.ModuleDir = path.Dir(parsed.ModuleDir)
		}
		t.Go = append(t.Go, parsed)
	}
	return nil
}

func parseGo(f File) (*GoFile, error) {
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, f.Path, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	lines := bytes.Count(f.Text, []byte("\n"))
	if len(f.Text) > 0 && !bytes.HasSuffix(f.Text, []byte("\n")) {
		lines++
	}
	return &GoFile{
		Path:      f.Path,
		Dir:       path.Dir(f.Path),
		Lines:     lines,
		Test:      strings.HasSuffix(f.Path, "_test.go"),
		Generated: ast.IsGenerated(syntax),
		Syntax:    syntax,
		text:      f.Text,
		positions: positions,
	}, nil
}

// outsideBuild reports whether the go command skips the file because of a
// folder above it.
func outsideBuild(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(folder string) bool {
		return folder == "testdata" || folder == "vendor" || folder != "." && strings.ContainsAny(folder[:1], "._")
	})
}

// Main returns the Go files of the module at the root.
func (t *Tree) Main() []*GoFile {
	return slices.DeleteFunc(slices.Clone(t.Go), func(f *GoFile) bool { return f.ModuleDir != "." })
}

// folders returns the Go files by folder, with the folders in order.
func folders(files []*GoFile) (order []string, byFolder map[string][]*GoFile) {
	byFolder = map[string][]*GoFile{}
	for _, f := range files {
		if byFolder[f.Dir] == nil {
			order = append(order, f.Dir)
		}
		byFolder[f.Dir] = append(byFolder[f.Dir], f)
	}
	return order, byFolder
}
