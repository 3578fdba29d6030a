package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

const modulePath = "github.com/movenext/movenext"

// apidiff compares the exported APIs of two modules.
const apidiff = "golang.org/x/exp/cmd/apidiff@v0.0.0-20250620022241-b7579e27df2b"

// tagged are the modules beside the root that programs import, each with tags of its own.
var tagged = []string{
	"codegen/vet/golangci", "durable/natsstore", "durable/pgstore", "durable/sqlitestore", "inspect/otel", "inspect/prom",
}

// untagged are the folders of modules for which there are no tags.
var untagged = []string{"docs", "examples", "inspect/browser", "lab"}

// release is a commit that is to be tagged.
type release struct {
	root    string
	version string // "" to check only
}

// read returns a file of the commit.
func (r *release) read(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.root, name))
	return string(data), err
}

var unreleased = regexp.MustCompile(`(?s)\n## Unreleased\n(.*?)(\n## |$)`)

// changelog reports a changelog that says nothing about the release.
func (r *release) changelog() error {
	text, err := r.read("CHANGELOG.md")
	if m := unreleased.FindStringSubmatch(text); err == nil && (m == nil || strings.TrimSpace(m[1]) == "") {
		err = errors.New("CHANGELOG.md: there is nothing below Unreleased")
	}
	return err
}

// number returns the number of a constant.
func number(text, name string) int {
	if m := regexp.MustCompile(name + ` += (\d+)`).FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return -1
}

// contract reports numbers of the contract that do not fit together, or to those of the last tag.
func (r *release) contract() error {
	runtime, err := r.read("statemachine/version.go")
	if err != nil {
		return err
	}
	generator, err := r.read("codegen/file.go")
	if err != nil {
		return err
	}
	least, most, made := number(runtime, "ContractMin"), number(runtime, "ContractMax"), number(generator, "Contract")
	if least < 1 || least > made || made > most {
		return fmt.Errorf("the generator makes contract %d, and the runtime knows %d to %d", made, least, most)
	}
	if last := r.last(); last != "" {
		before, err := r.git("show", last+":statemachine/version.go")
		if err != nil {
			return err
		}
		if was := number(before, "ContractMax"); was > most || least > was {
			return fmt.Errorf("the runtime does not run what %s has generated for contract %d", last, was)
		}
	}
	return nil
}

// modules reports modules of which it is not said whether they have tags, and those that require
// the root in a way that the release does not replace.
func (r *release) modules() error {
	list, err := r.git("ls-files", "*go.mod", ":!:*testdata/*")
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(list) {
		dir := path.Dir(name)
		below := slices.ContainsFunc(untagged, func(folder string) bool { return strings.HasPrefix(dir+"/", folder+"/") })
		if dir != "." && !below && !slices.Contains(tagged, dir) {
			return fmt.Errorf("%s: say in lab/release whether this module has tags", name)
		}
	}
	for _, dir := range tagged {
		if _, err := r.released(dir, "v0.0.1"); err != nil {
			return err
		}
	}
	return nil
}

// released returns the go.mod file of a module that requires a released version of the root.
func (r *release) released(dir, version string) ([]byte, error) {
	name := path.Join(dir, "go.mod")
	text, err := r.read(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(name, []byte(text), nil)
	if err != nil {
		return nil, err
	}
	required := slices.ContainsFunc(file.Require, func(m *modfile.Require) bool { return m.Mod.Path == modulePath })
	if !required || len(file.Replace) != 1 || file.Replace[0].Old.Path != modulePath {
		return nil, fmt.Errorf("%s: want a requirement of the root module, and its replacement alone", name)
	}
	if err := errors.Join(file.AddRequire(modulePath, version), file.DropReplace(modulePath, "")); err != nil {
		return nil, err
	}
	file.Cleanup()
	return file.Format()
}

// last returns the last tag of the root module, or "" before the first.
func (r *release) last() string {
	tag, err := r.git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD")
	if err != nil {
		return ""
	}
	return tag
}

// unpromised are changes of packages that no program imports.
var unpromised = regexp.MustCompile(`(?m)^- (\./|package .*/)(docs|examples)/.*\n`)

// api reports incompatible changes of the exported API since the last tag. Before 1.0, a new minor
// version may have them.
func (r *release) api() (err error) {
	last := r.last()
	if last == "" {
		fmt.Fprintln(os.Stdout, "api: there is no tag yet")
		return nil
	}
	temp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	before := filepath.Join(temp, "before")
	if _, err := r.git("worktree", "add", "--detach", before, last); err != nil {
		return err
	}
	defer func() { _, failed := r.git("worktree", "remove", "--force", before); err = errors.Join(err, failed) }()
	for dir, file := range map[string]string{before: "old", r.root: "new"} {
		if _, err := run(dir, nil, "go", "run", apidiff, "-m", "-w", filepath.Join(temp, file), modulePath); err != nil {
			return err
		}
	}
	changes, err := run(r.root, nil, "go", "run", apidiff, "-m", "-incompatible", filepath.Join(temp, "old"), filepath.Join(temp, "new"))
	changes = strings.TrimSpace(unpromised.ReplaceAllString(changes+"\n", ""))
	if err != nil || changes == "" {
		return err
	}
	fmt.Fprintf(os.Stdout, "api: since %s these are incompatible:\n%s\n", last, changes)
	if r.version != "" && minor(r.version) == minor(last) {
		return fmt.Errorf("%s is the same minor version as %s, and the API has incompatible changes", r.version, last)
	}
	return nil
}

// minor returns the version without its last number.
func minor(version string) string { return version[:strings.LastIndex(version, ".")] }

func (r *release) git(args ...string) (string, error) { return run(r.root, nil, "git", args...) }

// run runs a command and returns what it prints.
func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out)), err
}
