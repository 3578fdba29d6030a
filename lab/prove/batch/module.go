package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/codegen"
)

const runtimeModule = "github.com/movenext/movenext"

// modulePath is the path of the module in which programs are built. They import its package trace.
const modulePath = "example.com/proof"

// Module is a folder with a module for programs. Its zero value is not usable; see
// [NewModule].
type Module struct {
	Dir string

	// Preamble is the source of a file next to the programs. It declares a function Reset,
	// which is called before each run of a program.
	Preamble string

	// Inline builds with the compiler's inlining, which takes half as long again. Both forms
	// of a program are always built the same way.
	Inline bool

	tools *toolchain
}

// NewModule creates a module in dir, which may exist and should be empty, with package trace from
// the generator's test data, and builds the packages that programs import. The current folder must
// be in this repository. It fails if the go command does, or if something cannot be written.
func NewModule(dir, preamble string) (*Module, error) {
	if err := WriteModule(dir, modulePath); err != nil {
		return nil, err
	}
	root, err := runtimeRoot()
	if err != nil {
		return nil, err
	}
	// the go command reports positions under the true name
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	trace := filepath.Join(dir, "trace")
	err = errors.Join(os.RemoveAll(trace), os.CopyFS(trace, os.DirFS(filepath.Join(root, "codegen", "testdata", "exec", "trace"))))
	if err != nil {
		return nil, err
	}
	if _, err = codegen.Generate(codegen.Config{Dir: dir}, "./trace"); err != nil {
		return nil, err
	}
	tools, err := newToolchain(dir)
	return &Module{Dir: dir, Preamble: preamble, tools: tools}, err
}

// WriteModule writes go.mod and go.sum for a module called path into dir. The module requires this
// module from its own folder, and everything that this module requires, so that nothing is
// fetched.
func WriteModule(dir, path string) error {
	root, err := runtimeRoot()
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	_, requirements, _ := strings.Cut(string(mod), "\nrequire (")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	text := "module " + path + "\n\ngo 1.26.0\n\nrequire " + runtimeModule + " v0.0.0\n\nreplace " + runtimeModule + " => " + root +
		"\n\nrequire (" + requirements
	return errors.Join(write(dir, "go.mod", text), write(dir, "go.sum", string(sum)))
}

// Require makes the module in dir require this one from its folder, and use this one's language
// version. It removes the module's own replacements, which name folders that are elsewhere.
func Require(dir string, env []string) error {
	root, err := runtimeRoot()
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old struct{ Path, Version string }
		}
	}
	edit := exec.Command("go", "mod", "edit", "-json")
	edit.Dir, edit.Env = dir, env
	out, err := edit.Output()
	if err := errors.Join(err, json.Unmarshal(out, &mod)); err != nil {
		return fmt.Errorf("batch: reading go.mod in %s: %w", dir, err)
	}
	args := []string{"mod", "edit", "-go=1.26.0", "-toolchain=none"}
	for _, r := range mod.Replace {
		args = append(args, "-dropreplace="+strings.Trim(r.Old.Path+"@"+r.Old.Version, "@"))
	}
	edit = exec.Command("go", append(args, "-require="+runtimeModule+"@v0.0.0", "-replace="+runtimeModule+"="+root)...)
	edit.Dir, edit.Env = dir, env
	if out, err := edit.CombinedOutput(); err != nil {
		return fmt.Errorf("batch: go mod edit: %w\n%s", err, out)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	theirs, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return write(dir, "go.sum", strings.TrimSpace(string(theirs))+"\n"+string(ours))
}

func runtimeRoot() (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", runtimeModule)
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("batch: finding %s from the current folder: %w", runtimeModule, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// write writes a file, and creates its folders.
func write(dir, name, data string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(data), 0o644)
}
