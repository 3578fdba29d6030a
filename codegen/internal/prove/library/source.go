package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// source is what the go command says about a package.
type source struct {
	ImportPath   string
	Dir          string
	Name         string
	GoFiles      []string
	SFiles       []string
	HFiles       []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	ImportMap    map[string]string
}

// list lists the packages that patterns match, without cgo. Dependencies come before what depends on them, if they are asked for.
func list(patterns ...string) ([]*source, error) {
	command := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,GoFiles,SFiles,HFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,ImportMap"}, patterns...)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("library: go list: %w\n%s", err, &stderr)
	}
	var all []*source
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(source)
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("library: go list: %w", err)
		}
		all = append(all, p)
	}
}

// importsOwnInternal reports whether p imports packages that only it and those below it may import.
func (p *source) importsOwnInternal() bool {
	return slices.ContainsFunc(p.Imports, func(path string) bool {
		return strings.HasPrefix(path, p.ImportPath+"/internal/") || path == p.ImportPath+"/internal"
	})
}

// copied is the import path of the copy.
func (p *source) copied() string { return "example.com/std/" + p.ImportPath }
