package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Settings select what is loaded, and configure the go command.
type Settings struct {
	// Dir is the folder in which patterns are resolved; empty means the current one.
	Dir string

	// Env and Flags are the environment and the build flags of the go command.
	Env, Flags []string

	// Overlay replaces the contents of files on disk, by absolute path.
	Overlay map[string][]byte
}

// Read returns the contents of a file, from the overlay if it has the file.
func (c *Settings) Read(path string) ([]byte, error) {
	if data, ok := c.Overlay[path]; ok {
		return data, nil
	}
	return readRegular(path)
}

var errIrregular = errors.New("not a regular file")

// readRegular reads a regular file. Reading a named pipe would wait for a writer, and a device may
// have no end. A link that leads nowhere is not a file that does not exist: its name has a
// purpose, and a new file there would replace it.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, here := os.Lstat(path); here == nil {
			return nil, errIrregular
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	return os.ReadFile(path)
}

// InFolder lists the Go files of a folder, on disk and in the overlay, sorted, without files that
// the go command always ignores.
func (c *Settings) InFolder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	seen := map[string]bool{}
	var list []string
	add := func(path string) {
		base := filepath.Base(path)
		if strings.HasSuffix(base, ".go") && base[0] != '_' && base[0] != '.' && !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	for _, e := range entries {
		if !e.IsDir() {
			add(filepath.Join(dir, e.Name()))
		}
	}
	for path := range c.Overlay {
		if filepath.Dir(path) == dir {
			add(path)
		}
	}
	slices.Sort(list)
	return list, nil
}
