package codegen

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Replacing the files of one folder, all or none.
//
// 1. write every new file under a temporary name, and copy the old ones
// 2. rename the new files, one after the other
// 3. if a rename fails, rename the copies back
//
// A full disk or a read-only folder fails step 1, when nothing has changed yet. Step 2 rarely
// fails (a folder may have taken the name meanwhile), and step 3 needs no space, since the
// copies are already written. A reader of a single file sees either the old or the new one at
// any time, even after a crash.
//
// The next run removes the temporary files that a killed run left (leftovers). Their names
// contain the number of the process, so concurrent runs do not remove each other's files.

// disk creates files; tests use one that is full.
type disk struct {
	create func(dir, pattern string) (tempFile, error)
}

// tempFile is the part of *os.File that is used here.
type tempFile interface {
	io.WriteCloser
	Name() string
	Chmod(mode fs.FileMode) error
}

var onDisk = disk{create: func(dir, pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) }}

// replacement is one change in progress.
type replacement struct {
	path string
	next string // the new file, under a temporary name; empty: remove path
	old  string // a copy of the old file; empty: there was none
}

// apply writes the changes of one folder, all or none. It returns the path that failed.
func (d disk) apply(changes []FileChange) (string, error) {
	var list []replacement
	defer func() {
		for _, r := range list {
			for _, temp := range []string{r.next, r.old} {
				if temp != "" {
					_ = os.Remove(temp) // a file already in place has no temporary name
				}
			}
		}
	}()
	for _, c := range changes {
		if c.Change == Unchanged {
			continue
		}
		r, err := d.prepare(c)
		list = append(list, r)
		if err != nil {
			return c.Path, err
		}
	}
	for i, r := range list {
		if err := r.commit(); err != nil {
			return r.path, errors.Join(err, rollBack(list[:i]))
		}
	}
	return "", nil
}

// prepare writes the files that commit renames, and the copies that rollBack needs.
func (d disk) prepare(c FileChange) (replacement, error) {
	r := replacement{path: c.Path}
	old, err := os.ReadFile(c.Path)
	switch {
	case err == nil:
		if r.old, err = d.writeTemp(c.Path, old); err != nil {
			return r, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return r, err
	}
	if c.Change != Removed {
		r.next, err = d.writeTemp(c.Path, c.Data)
		return r, err
	}
	return r, nil
}

func (r replacement) commit() error {
	if r.next == "" {
		return os.Remove(r.path)
	}
	return os.Rename(r.next, r.path)
}

// rollBack undoes the committed changes, as far as it can.
func rollBack(list []replacement) error {
	var errs []error
	for _, r := range list {
		if r.old == "" {
			errs = append(errs, os.Remove(r.path))
		} else {
			errs = append(errs, os.Rename(r.old, r.path))
		}
	}
	return errors.Join(errs...)
}

// writeTemp writes data to a new file next to path, under a name of the form
// source.Leftover, which the go command ignores. It returns the name even if it fails halfway.
func (d disk) writeTemp(path string, data []byte) (string, error) {
	f, err := d.create(filepath.Dir(path), fmt.Sprintf(".%s.%d-*", filepath.Base(path), os.Getpid()))
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return f.Name(), err
}

// removeLeftovers removes the files that killed runs left in a folder.
func removeLeftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // The caller reports this error next.
	}
	for _, e := range entries {
		m := source.Leftover.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		if pid, err := strconv.Atoi(m[1]); err != nil || !isRunning(pid) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // on failure the next run tries again
		}
	}
}

// isRunning reports whether a process with this number exists.
func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" {
		return true // the process was found
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
