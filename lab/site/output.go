package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifest is the file in a site's folder that lists all others: those that a later run may
// remove.
const manifest = ".movenext-site"

// output is a folder in the making, next to the one that it will become.
type output struct {
	target string
	folder string   // the folder that is being made
	files  []string // in it, with slashes
	exists bool     // whether there is a folder at target
}

// newOutput checks the target and makes the folder next to it. The target may be missing, be
// empty, or contain only files that an earlier run has made.
func newOutput(target string) (*output, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	o := &output{target: target}
	switch info, err := os.Lstat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("site: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("site: %s is not a folder", target)
	default:
		o.exists = true
		if err := checkReplaceable(target); err != nil {
			return nil, err
		}
	}
	o.folder, err = os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+"-building-")
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	return o, nil
}

// checkReplaceable returns an error if the folder has a file that no run has made, or if it is not
// writable.
func checkReplaceable(folder string) error {
	made, err := listMade(folder)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		relative, err := filepath.Rel(folder, name)
		if err == nil && !slices.Contains(made, filepath.ToSlash(relative)) {
			err = fmt.Errorf("%s has %s, which this command has not made: choose another folder, or move the file", folder, relative)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	probe, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// listMade returns the names of the files in the folder that an earlier run has made.
func listMade(folder string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, manifest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	names := strings.Fields(string(text))
	for _, name := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("site: %s names %s, which is not in its folder", filepath.Join(folder, manifest), name)
		}
	}
	return append(names, manifest), nil
}

// write writes a file. Its name has slashes.
func (o *output) write(name string, text []byte) error {
	file := filepath.Join(o.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("site: %w", err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("site: %w", err)
	}
	o.files = append(o.files, name)
	return nil
}

// commit makes the folder the target. The previous contents are removed at the end.
func (o *output) commit() error {
	slices.Sort(o.files)
	if err := o.write(manifest, []byte(strings.Join(o.files, "\n")+"\n")); err != nil {
		return err
	}
	if err := os.Chmod(o.folder, 0o755); err != nil { // a temporary folder is private to its owner
		return fmt.Errorf("site: %w", err)
	}
	before := o.folder + "-before"
	if o.exists {
		if err := os.Rename(o.target, before); err != nil {
			return fmt.Errorf("site: %w", err)
		}
	}
	if err := os.Rename(o.folder, o.target); err != nil {
		if o.exists {
			err = errors.Join(err, os.Rename(before, o.target))
		}
		return fmt.Errorf("site: %w", err)
	}
	o.folder = ""
	if o.exists {
		return removeMade(before)
	}
	return nil
}

// removeMade removes the files that a run has made, and the folders that are then empty. It never
// removes a tree: a file that was added in the meantime stays, and is an error.
func removeMade(folder string) error {
	made, err := listMade(folder)
	if err != nil {
		return err
	}
	folders := map[string]bool{folder: true}
	for _, name := range made {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("site: %w", err)
		}
		for dir := filepath.Dir(file); dir != folder; dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			folders[name] = true // empty ones that a run did not make, too
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	deepest := make([]string, 0, len(folders))
	for dir := range folders {
		deepest = append(deepest, dir)
	}
	slices.SortFunc(deepest, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range deepest {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("site: %w", err)
		}
	}
	return nil
}

// discard removes the unfinished folder. After commit it does nothing.
func (o *output) discard() error {
	if o.folder == "" {
		return nil
	}
	return os.RemoveAll(o.folder)
}
