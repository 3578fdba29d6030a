package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// endless finds files that would make the go command wait forever: it opens all files with
// certain names, and opening a named pipe waits for a writer. Only folders of patterns are
// checked, not those of their imports. On the way endless finds links that lead nowhere and have
// the name of a generated file, of which the go command only says that there is no such file.
func endless(cfg *Settings, patterns []string) error {
	for _, pattern := range patterns {
		if !IsPath(pattern) {
			continue
		}
		root, all := strings.CutSuffix(pattern, "...")
		if !filepath.IsAbs(root) {
			root = filepath.Join(cfg.Dir, root)
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // the go command explains it better
			case d.IsDir() && path != root && (!all || IsSkipped(d.Name())):
				return fs.SkipDir
			case !d.IsDir() && isOpened(d.Name()) && isEndless(path, d.Type()):
				return fmt.Errorf("%w: %s is a named pipe or a device, and to read it may never end; rename or remove it", errLoad, path)
			case d.Type() == fs.ModeSymlink && source.FileSource(path) != "" && leadsNowhere(path):
				return fmt.Errorf("%w: %s is a link that leads nowhere, where a generated file may have to be written; rename or remove it", errLoad, path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// IsSkipped reports whether the go command ignores folders with this name when it expands a
// pattern with "...".
func IsSkipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}

// isOpened reports whether the go command reads files with this name.
func isOpened(name string) bool {
	return name[0] != '.' && name[0] != '_' &&
		slices.Contains([]string{".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso", ".mod", ".sum", ".work"}, filepath.Ext(name))
}

func isEndless(path string, mode fs.FileMode) bool {
	if mode.IsRegular() {
		return false
	}
	if info, err := os.Stat(path); err == nil { // the target of a link
		mode = info.Mode()
	}
	return mode&(fs.ModeNamedPipe|fs.ModeDevice) != 0
}

func leadsNowhere(link string) bool {
	_, err := os.Stat(link)
	return errors.Is(err, fs.ErrNotExist)
}

// IsPath reports whether a pattern names a folder rather than an import path.
func IsPath(pattern string) bool {
	return pattern[:min(1, len(pattern))] == "." || filepath.IsAbs(pattern)
}
