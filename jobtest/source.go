package jobtest

import (
	"os"
	"path/filepath"
	"strings"
)

// sourceLine returns a line of a file, or "" if it cannot be read.
func sourceLine(file string, line int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		if data, err = os.ReadFile(resolveInModule(file)); err != nil {
			return ""
		}
	}
	for text := range strings.SplitSeq(string(data), "\n") {
		if line--; line == 0 {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// resolveInModule returns the path of a file that is identified by its package path, as in
// generated code. A test runs in the folder of its package, so the module's root is above.
func resolveInModule(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(file, moduleOf(string(text)))))
		}
		above := filepath.Dir(dir)
		if above == dir {
			return file
		}
		dir = above
	}
}

// moduleOf returns the path of the module that a go.mod file declares.
func moduleOf(mod string) string {
	for line := range strings.Lines(mod) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "module "); is {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}
