package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
	"github.com/movenext/movenext/lab/prove/batch"
)

// RunModules is like [Run], for third-party modules: each is "path@version" or a folder with a
// module. It fetches modules that are not in the module cache, and calls report after each
// module.
func RunModules(ctx context.Context, o Options, report func(*Package), modules ...string) error {
	if err := o.makeDir(); err != nil {
		return err
	}
	for _, name := range modules {
		result := newPackage(name)
		result.Err = o.module(ctx, name, result)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report(result)
	}
	return nil
}

// module tests one module. The module is copied as a whole and its packages stay in their places
// in it, so that every importer of one of them gets the copy.
func (o *Options) module(ctx context.Context, name string, result *Package) error {
	env := append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false")
	root := filepath.Join(o.Dir, "source")
	path, err := copyModule(ctx, name, root, env)
	if err != nil {
		return err
	}
	if err := batch.Require(root, env); err != nil {
		return err
	}
	packages, err := listIn(root, env, "-e", "./...")
	if err != nil {
		return err
	}
	h := &home{path: path, root: root, every: o.Every, quick: o.Quick, files: map[string]*annotated.File{}}
	var clones []*clone
	for _, p := range packages {
		if why := p.compileError(); why != "" {
			result.LeftOut[p.ImportPath] = why
			continue
		}
		c := &clone{source: p, home: h, dir: p.Dir}
		c.out = filepath.Join(o.Dir, "tests", c.relative())
		clones = append(clones, c)
	}
	for _, c := range clones {
		err := errors.Join(os.RemoveAll(c.out), os.MkdirAll(c.out, 0o755))
		if err == nil && !o.Quick && !o.Lower {
			err = c.plainSize(ctx, env, result)
		}
		if err != nil {
			return err
		}
	}
	if err := o.machines(h, clones, env, result); err != nil || o.Lower {
		return err
	}
	for _, c := range clones {
		if err := o.testPackage(ctx, c, env, result); err != nil {
			result.LeftOut[c.ImportPath] = err.Error()
		}
	}
	return nil
}

// machines annotates the packages, generates, and inserts the code that enters the machines.
func (o *Options) machines(h *home, clones []*clone, env []string, result *Package) error {
	var patterns []string
	for _, c := range clones {
		if err := c.annotateSources(); err != nil {
			return err
		}
		patterns = append(patterns, "./"+c.relative())
	}
	if err := errors.Join(h.writePoint(), h.lower(o.Mode, env, result, patterns...)); err != nil {
		return err
	}
	for _, c := range clones {
		if err := errors.Join(c.shim(), c.copyTests()); err != nil {
			return err
		}
	}
	result.Points, result.Machines = h.sites, len(h.names)
	return h.writeNames(o.Dir)
}

// plainSize records the size of the tests' binary before there are machines. A package whose
// tests do not build is excluded.
func (c *clone) plainSize(ctx context.Context, env []string, result *Package) error {
	if !c.hasTests() {
		return nil
	}
	if out, err := c.buildOnce(ctx, env); err != nil {
		result.LeftOut[c.ImportPath] = fmt.Sprintf("its tests do not build as they are: %.300s", out)
		c.TestGoFiles, c.XTestGoFiles = nil, nil
		return ctx.Err()
	}
	info, err := os.Stat(filepath.Join(c.out, binary))
	if err == nil {
		c.plain = info.Size()
	}
	return err
}

// testPackage runs the tests of one package in both forms.
func (o *Options) testPackage(ctx context.Context, c *clone, env []string, result *Package) error {
	if !c.hasTests() {
		return nil
	}
	one := newPackage("")
	if err := c.build(ctx, env, one); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(c.out, binary))
	if err != nil {
		return err
	}
	result.PlainSize, result.Size = result.PlainSize+c.plain, result.Size+info.Size()
	err = o.compare(ctx, c, one)
	result.add(one, c.relative())
	return errors.Join(err, os.RemoveAll(filepath.Join(c.out, binary)))
}

// add adds the outcome of the tests of one of the module's packages, in the folder dir.
func (p *Package) add(one *Package, dir string) {
	maps.Copy(p.seen, one.seen) // the tests of one package reach the points of others
	p.Suspended, p.Passed, p.Same = len(p.seen), p.Passed+one.Passed, p.Same+one.Same
	p.Parts, p.SameParts = p.Parts+one.Parts, p.SameParts+one.SameParts
	for name, why := range one.Different {
		p.Different[strings.Trim(dir+" "+name, " ")] = why
	}
	for name, why := range one.LeftOut {
		p.LeftOut[strings.Trim(dir+" "+name, " ")] = why
	}
}

// copyModule copies a module to root, and returns its path.
func copyModule(ctx context.Context, name, root string, env []string) (path string, err error) {
	from := name
	if modulePath, _, remote := strings.Cut(name, "@"); remote {
		path = modulePath
		if from, err = download(ctx, name, env); err != nil {
			return "", err
		}
	}
	if err := errors.Join(os.RemoveAll(root), copyTree(from, root)); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); errors.Is(err, os.ErrNotExist) {
		return path, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+path+"\n"), 0o600)
	}
	command := exec.CommandContext(ctx, "go", "list", "-m")
	command.Dir, command.Env = root, env
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("library: what module %s is: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// download returns the folder of a module in the module cache.
func download(ctx context.Context, name string, env []string) (string, error) {
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", name)
	command.Dir, command.Env = os.TempDir(), env
	out, err := command.Output()
	var module struct{ Dir, Error string }
	if failed := json.Unmarshal(out, &module); failed != nil || err != nil {
		return "", fmt.Errorf("library: fetching %s: %w: %s", name, errors.Join(err, failed), module.Error)
	}
	return module.Dir, nil
}

// copyTree copies a folder to a path that does not exist. The copy is writable, even if the
// original is not.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}
