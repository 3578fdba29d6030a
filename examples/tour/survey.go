package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/job"
)

// counts are the counts of one directory: a package and its tests.
type counts struct {
	dir                     string
	files, lines, functions int
	problems                []problem
}

// problem is a file or directory that could not be surveyed.
type problem struct {
	path string
	err  error
}

// surveyPackage counts the Go files of one directory, one after another. A file that cannot be
// read or parsed is recorded as a problem, and the survey continues. The error is that of ctx,
// and the counts are those made until then.
//
//movenext:async
func surveyPackage(ctx context.Context, dir string) (counts, error) {
	c := counts{dir: dir}
	names, err := listFiles(ctx, dir)
	if err != nil {
		c.problems = append(c.problems, problem{dir, err})
		return c, ctx.Err()
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		path := filepath.Join(dir, name)
		lines, functions, err := surveyFile(ctx, path)
		if err != nil {
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
			c.problems = append(c.problems, problem{path, err})
			continue
		}
		c.files++
		c.lines += lines
		c.functions += functions
	}
	return c, nil
}

// surveyFile counts the lines and functions of one file.
//
//movenext:async
func surveyFile(ctx context.Context, path string) (lines, functions int, err error) {
	source, err := readFile(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	functions, err = countFunctions(path, source)
	if err != nil {
		return 0, 0, err
	}
	return bytes.Count(source, []byte("\n")), functions, nil
}

// readFile reads a file. The operating system's call blocks a thread, so it runs on the
// blocking lane; the machine that awaits it holds nothing meanwhile.
//
//movenext:async
func readFile(ctx context.Context, path string) ([]byte, error) {
	return startReading(ctx, path).Await()
}

// listFiles returns the names of the Go files of a directory.
//
//movenext:async
func listFiles(ctx context.Context, dir string) ([]string, error) {
	return startListing(ctx, dir).Await()
}

func startReading(ctx context.Context, path string) *job.Job[[]byte] {
	return job.Blocking(ctx, func(context.Context) ([]byte, error) { return os.ReadFile(path) })
}

func startListing(ctx context.Context, dir string) *job.Job[[]string] {
	return job.Blocking(ctx, func(context.Context) ([]string, error) { return goFiles(dir) })
}

func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// countFunctions parses a file and counts its functions and methods.
func countFunctions(path string, source []byte) (int, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, d := range file.Decls {
		if _, ok := d.(*ast.FuncDecl); ok {
			n++
		}
	}
	return n, nil
}

// packageDirs finds the directories below root that hold Go files. Like the go command, it leaves
// out testdata, and names that begin with a dot or an underscore.
func packageDirs(root string) (dirs []string, problems []problem) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, problem{path, err})
		case e.IsDir() && path != root && skipped(e.Name()):
			return filepath.SkipDir
		case !e.IsDir() && strings.HasSuffix(path, ".go"):
			if dir := filepath.Dir(path); len(dirs) == 0 || dirs[len(dirs)-1] != dir {
				dirs = append(dirs, dir)
			}
		}
		return nil
	})
	return unique(dirs), problems
}

func skipped(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// unique drops repetitions: a walk comes back to a directory after its sub-directories.
func unique(dirs []string) []string {
	seen := make(map[string]bool, len(dirs))
	kept := dirs[:0]
	for _, d := range dirs {
		if !seen[d] {
			seen[d] = true
			kept = append(kept, d)
		}
	}
	return kept
}
