// Files from machines. A file operation blocks an OS thread, so reads and writes run in the lane
// for blocking work, and a machine awaits them.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

// read is os.ReadFile as a job.
func read(ctx context.Context, name string) *job.Job[[]byte] {
	return job.Blocking(ctx, func(context.Context) ([]byte, error) { return os.ReadFile(name) })
}

// save writes a file that has either the old text or the new one, even after a power failure. All
// steps are one function: each job costs a slot of the lane and a goroutine.
func save(ctx context.Context, name string, text []byte) *job.Job[job.Void] {
	return job.Blocking(ctx, func(context.Context) (job.Void, error) { return job.Void{}, replace(name, text) })
}

func replace(name string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".saving-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name)) // the folder stores the name
}

// syncFolder makes the names in a folder durable, on systems that can. An error means that the new
// file is in place, but may be lost in a power failure.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return errors.Join(err, d.Close())
	}
	return d.Close()
}

// checked is a reader that ends with its context. A read that has begun ends by itself.
type checked struct {
	ctx context.Context
	r   io.Reader
}

func (c checked) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// copied copies a file. It stops between two blocks if ctx ends.
func copied(ctx context.Context, to, from string) *job.Job[int64] {
	return job.Blocking(ctx, func(ctx context.Context) (n int64, err error) {
		in, err := os.Open(from)
		if err != nil {
			return 0, err
		}
		defer func() { _ = in.Close() }() // it was only read
		out, err := os.Create(to)
		if err != nil {
			return 0, err
		}
		n, err = io.Copy(out, checked{ctx, in})
		return n, errors.Join(err, out.Close())
	})
}

// file is what walk finds.
type file struct {
	name  string
	bytes int
}

// walk reads all files below dir, level by level, no more than degree folders or files at a
// time. The files of a level are in the order of their names.
//
//movenext:async
func walk(ctx context.Context, dir string, degree int) (found []file, err error) {
	for level := []string{dir}; len(level) > 0; {
		lists, err := parallel.Map(ctx, level, func(ctx context.Context, dir string) ([]fs.DirEntry, error) {
			return job.Blocking(ctx, func(context.Context) ([]fs.DirEntry, error) { return os.ReadDir(dir) }).Await()
		}, parallel.Degree(degree))
		if err != nil {
			return nil, err
		}
		var folders, names []string
		for i, entries := range lists {
			for _, e := range entries {
				switch name := filepath.Join(level[i], e.Name()); {
				case e.IsDir():
					folders = append(folders, name)
				case e.Type().IsRegular(): // a link may lead back
					names = append(names, name)
				}
			}
		}
		files, err := parallel.Map(ctx, names, func(ctx context.Context, name string) (file, error) {
			text, err := read(ctx, name).Await()
			return file{name, len(text)}, err
		}, parallel.Degree(degree))
		if err != nil {
			return nil, err
		}
		found = append(found, files...)
		level = folders
	}
	return found, nil
}

// plant makes a tree of folders with files of some bytes each.
func plant(root string, folders, files, size int) error {
	for d := range folders {
		dir := filepath.Join(root, fmt.Sprintf("d%03d", d), "sub")
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return err
		}
		for f := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", f)), make([]byte, size), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(ctx context.Context, w io.Writer, dir string) error {
	if err := plant(filepath.Join(dir, "tree"), 5, 4, 100); err != nil {
		return err
	}
	files, err := walkAsync(ctx, filepath.Join(dir, "tree"), 8).Wait(ctx)
	fmt.Fprintln(w, "files:", len(files), err)

	name := filepath.Join(dir, "text")
	_, err = save(ctx, name, []byte("first")).Wait(ctx)
	fmt.Fprintln(w, "saved:", err)
	_, err = save(ctx, name, []byte("second")).Wait(ctx)
	text, readErr := read(ctx, name).Wait(ctx)
	fmt.Fprintln(w, "saved again:", string(text), err, readErr)
	_, err = read(ctx, name+".gone").Wait(ctx)
	fmt.Fprintln(w, "no such file:", errors.Is(err, fs.ErrNotExist))
	n, err := copied(ctx, name+".copy", name).Wait(ctx)
	fmt.Fprintln(w, "copied:", n, err)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	copying := copied(canceled, name+".copy", name)
	_, err = copying.Wait(ctx)
	fmt.Fprintln(w, "canceled:", errors.Is(err, context.Canceled), copying.Status())
	return nil
}

func main() {
	compare := flag.Bool("measure", false, "measure ways to read many small files, instead")
	flag.Parse()
	dir, err := os.MkdirTemp("", "files-")
	if err != nil {
		log.Fatal(err)
	}
	if *compare {
		err = measure(context.Background(), os.Stdout, dir, 100)
	} else {
		err = run(context.Background(), os.Stdout, dir)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
}
