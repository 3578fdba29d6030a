package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// toolchain builds binaries of programs by calling compiler and linker itself.
//
// It is tempting to leave that to go build. But go build caches its results: a hundred thousand
// programs that will never be built again take tens of gigabytes in the user's cache, and hashing
// and copying them takes a tenth of the time.
type toolchain struct {
	imports string // the lines of an import configuration: the locations of packages' export data
	env     []string
}

// imported are the packages that programs and generated code import, and their imports.
var imported = []string{
	"./trace", runtimeModule + "/job", runtimeModule + "/statemachine",
	"context", "errors", "fmt", "iter", "maps", "os", "reflect", "runtime", "slices", "strconv", "strings", "sync", "unsafe",
}

// newToolchain builds the packages that programs import, with go build and in the user's cache,
// since other programs can use these packages, too.
func newToolchain(dir string) (*toolchain, error) {
	// Debug information is a tenth of the compiler's work, and so is early garbage
	// collection of data that lives as long as the compiler does.
	t := &toolchain{env: append(os.Environ(), "CGO_ENABLED=0", "GOGC=400")}
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"}, imported...)...)
	list.Dir, list.Env = dir, t.env
	var errs strings.Builder
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("batch: go list: %w\n%s", err, &errs)
	}
	t.imports = string(out)
	return t, nil
}

// build compiles the programs and the main package in dir and links them. It returns
// the output of the tool that failed.
func (t *toolchain) build(ctx context.Context, dir, binary string, inline bool) (said string, err error) {
	sources, err := filepath.Glob(filepath.Join(dir, folder, "*.go"))
	if err != nil {
		return "", err
	}
	for i, path := range sources {
		sources[i] = folder + "/" + filepath.Base(path) // what the compiler says of a place
	}
	config := t.imports + "packagefile " + modulePath + "/" + folder + "=batch.a\n"
	if err := errors.Join(write(dir, "batch.cfg", t.imports), write(dir, "main.cfg", config)); err != nil {
		return "", err
	}
	compile := []string{"compile", "-e", "-dwarf=0", "-lang=go1.26", "-complete", "-nolocalimports", "-pack"}
	if !inline {
		compile = append(compile, "-l")
	}
	for _, args := range [][]string{
		append(append(compile, "-p", modulePath+"/"+folder, "-importcfg", "batch.cfg", "-o", "batch.a"), sources...),
		append(compile[:len(compile):len(compile)], "-p", "main", "-importcfg", "main.cfg", "-o", "main.a", "main.go"),
		{"link", "-s", "-w", "-importcfg", "main.cfg", "-o", binary, "main.a"},
	} {
		command := exec.CommandContext(ctx, "go", append([]string{"tool"}, args...)...)
		command.Dir, command.Env = dir, t.env
		if out, err := command.CombinedOutput(); err != nil {
			return string(out), fmt.Errorf("go tool %s: %w", args[0], err)
		}
	}
	return "", nil
}
