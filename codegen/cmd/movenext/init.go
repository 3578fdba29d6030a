package main

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

const initUsage = `usage: movenext init [-C dir]

init tells the tools of a team about generated code, in the root folder of a
module: go generate, git, GitHub, golangci-lint, VS Code. It prints what it
writes. It adds lines to files that are lists; other files that are there stay
as they are, and it prints what to add to them. Each clone needs it once, for
git's merge driver and hook.
`

// files are settings of a module example.com/shop.
//
//go:embed settings
var files embed.FS

// setting is a file of another tool.
type setting struct {
	path   string // below the folder of the module
	text   string
	enough string // what is in a file that needs no change
	any    string // the names of files of which one is enough
	list   bool   // text may be added to a file that is there
}

func initialise(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("movenext init", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, initUsage) }
	dir := flags.String("C", ".", "")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err == nil && flags.NArg() > 0 {
		flags.Usage()
	}
	if err != nil || flags.NArg() > 0 {
		return exitUsage
	}
	if err := initIn(*dir, printed{stdout}); err != nil {
		fmt.Fprintf(printed{stderr}, "movenext: %v\n", err)
		return exitUsage
	}
	return exitOK
}

// initIn writes the settings of the module in dir.
func initIn(dir string, stdout io.Writer) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return fmt.Errorf("init works in the root folder of a module: %w", err)
	}
	module, err := output(dir, "go", "list", "-m")
	if err != nil {
		return err
	}
	list := moduleSettings(dir, module)
	inside, err := output(dir, "git", "rev-parse", "--show-prefix")
	if err != nil {
		fmt.Fprintln(stdout, "there is no git repository here: a later init sets its merge driver and hook")
	} else if list, err = initGit(dir, inside, stdout, list); err != nil {
		return err
	}
	for i := range list {
		if err := list[i].write(dir, stdout); err != nil {
			return err
		}
	}
	return nil
}

// initGit sets the merge driver of this clone, and adds the hook to the settings. inside is the
// path of the module in the repository.
func initGit(dir, inside string, stdout io.Writer, list []setting) ([]setting, error) {
	for _, value := range [][2]string{{"name", "keep a side: what it is generated from decides"}, {"driver", "true"}} {
		if _, err := output(dir, "git", "config", "merge.movenext."+value[0], value[1]); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(stdout, "set merge.movenext in the configuration of this clone")
	hook := text("merge-hook.sh")
	if inside != "" {
		hook = strings.Replace(hook, "GIT_INDEX_FILE\n", "GIT_INDEX_FILE\ncd '"+inside+"' || exit\n", 1)
		fmt.Fprintln(stdout, "the module is not the root of the repository, where GitHub reads workflows: move .github there")
	}
	hooks, err := output(dir, "git", "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	return append(list, setting{path: hooks + "/pre-merge-commit", text: hook, enough: hook}), err
}

// moduleSettings returns the files of a module.
func moduleSettings(dir, module string) []setting {
	quoted := regexp.QuoteMeta(module)
	named := strings.NewReplacer(`example\.com/shop`, quoted, "example.com/shop", module)
	linter := ".golangci.yml"
	if others, _ := filepath.Glob(filepath.Join(dir, ".golangci.*")); len(others) > 0 {
		linter = filepath.Base(others[0]) // golangci-lint reads one of them
	}
	generate := "package " + packageIn(dir, module) + "\n\n//go:generate go tool movenext ./...\n"
	return []setting{
		{path: "generate.go", text: generate, enough: "//go:generate go tool movenext ", any: "*.go"},
		{path: ".gitattributes", text: text("attributes.txt"), enough: "merge=movenext", list: true},
		{path: ".github/workflows/movenext.yml", text: text("workflow.yml"), enough: "movenext check", any: ".github/workflows/*"},
		{path: linter, text: named.Replace(text("golangci.yml")), enough: quoted + "/"},
		{path: ".vscode/launch.json", text: named.Replace(text("launch.json")), enough: "-trimpath=" + module},
		{path: ".vscode/tasks.json", text: text("tasks.json"), enough: "movenext"},
		{path: ".vscode/settings.json", text: text("settings.json"), enough: "_async.go"},
	}
}

// packageIn returns the name of the package in the root folder of a module, or one for it.
func packageIn(dir, module string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range found {
		if data, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
			return source.ClauseName(data)
		}
	}
	if name := regexp.MustCompile(`[^a-z]`).ReplaceAllString(path.Base(module), ""); !token.IsKeyword(name) && name != "" {
		return name
	}
	return "root"
}

// text returns one of the files in this program.
func text(name string) string {
	data, err := files.ReadFile("settings/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// write writes s, and says what it did.
func (s *setting) write(dir string, stdout io.Writer) error {
	names, err := filepath.Glob(below(dir, cmp.Or(s.any, s.path)))
	if err != nil {
		return err
	}
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), s.enough) {
			_, err := fmt.Fprintf(stdout, "unchanged %s\n", relative(name))
			return err
		}
	}
	name := below(dir, s.path)
	shown := strings.ReplaceAll(strings.TrimSpace(s.text), "\n", "\n\t")
	old, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "created %s\n", relative(name))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(s.text, "#!") {
			mode = 0o755
		}
		return os.WriteFile(name, []byte(s.text), mode)
	case err != nil:
		return err
	case !s.list:
		fmt.Fprintf(stdout, "left %s as it is; add:\n\n\t%s\n\n", relative(name), shown)
		return nil
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	fmt.Fprintf(stdout, "added to %s:\n\n\t%s\n\n", relative(name), shown)
	return os.WriteFile(name, append(old, s.text...), 0o644)
}

// below returns the path of a file in dir; git gives the full one of a hook.
func below(dir, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// output returns what a command prints, without its last line break.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off") // of this module alone
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}
