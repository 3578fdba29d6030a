package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A tree is a Go installation of symbolic links that contains copies of packages.
//
// A copy has to be next to its original. There the go command lets it import the internal packages
// that the original imports, and "../testdata" means what its tests expect. So every folder above
// a copy is a real folder, and everything else in it is a link.
type tree struct {
	original string // GOROOT
	root     string
}

// newTree creates the installation in root, which may exist from an earlier run.
func newTree(original, root string) (*tree, error) {
	t := &tree{original, root}
	return t, t.open("")
}

// open makes dir, relative to the root, a real folder of links.
func (t *tree) open(dir string) error {
	to := filepath.Join(t.root, dir)
	if info, err := os.Lstat(to); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if err := os.Remove(to); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(t.original, dir))
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(to, e.Name())); err == nil {
			continue
		}
		from := filepath.Join(t.original, dir, e.Name())
		if e.IsDir() {
			errs = append(errs, os.Symlink(from, filepath.Join(to, e.Name())))
		} else { // embedded files must not be links
			errs = append(errs, copyFile(from, filepath.Join(to, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// place returns an empty folder for the copy of a package. It is next to the original, or inside
// the original if the package has its own internal packages.
func (t *tree) place(p *source) (string, error) {
	dir := filepath.Join("src", filepath.FromSlash(p.ImportPath))
	parent, name := filepath.Split(dir)
	if p.importsOwnInternal() {
		parent, name = dir, "self"
	}
	parts := strings.Split(filepath.Clean(parent), string(filepath.Separator))
	for i := range parts {
		if err := t.open(filepath.Join(parts[:i+1]...)); err != nil {
			return "", fmt.Errorf("library: %w", err)
		}
	}
	place := filepath.Join(t.root, parent, "movenext_"+name)
	return place, errors.Join(os.RemoveAll(place), os.MkdirAll(place, 0o755))
}
