package batch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const runtimeModule = "github.com/movenext/movenext"

// modulePath is the path of the module that programs are built in. They import
// its package trace.
const modulePath = "example.com/proof"

// Module is a folder with a module for programs. Its zero value is not usable; see
// [NewModule].
type Module struct {
	Dir string

	// Preamble is the source of a file that lies beside the programs.
	Preamble string
}

// NewModule makes a module in dir, which may exist and should be empty. It takes
// this module's requirements, so that nothing is fetched, and package trace from
// the generator's test data. The current folder has to be one of this module's. It
// fails if the go command does, or if something cannot be written.
func NewModule(dir, preamble string) (*Module, error) {
	root, err := runtimeRoot()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // the go command reports places below the true name
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	_, requirements, _ := strings.Cut(string(mod), "\nrequire (")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	text := "module " + modulePath + "\n\ngo 1.26.0\n\nrequire " + runtimeModule + " v0.0.0\n\nreplace " + runtimeModule + " => " + root +
		"\n\nrequire (" + requirements
	m := &Module{Dir: dir, Preamble: preamble}
	err = errors.Join(m.write("go.mod", text), m.write("go.sum", string(sum)), os.RemoveAll(filepath.Join(dir, "trace")))
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "trace"), os.DirFS(filepath.Join(root, "codegen", "testdata", "exec", "trace")))
	}
	return m, err
}

func runtimeRoot() (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", runtimeModule)
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("batch: finding %s from the current folder: %w", runtimeModule, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// write writes a file of the module.
func (m *Module) write(name, data string) error {
	path := filepath.Join(m.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(data), 0o644)
}
