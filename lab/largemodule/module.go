package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
)

const runtimeModule = "github.com/movenext/movenext"

// module is the size of the module that is measured.
type module struct{ packages, functions int }

// file is the source of one package. Its functions resemble those of users: they call other
// annotated functions, in the same and in other packages, have loops and branches, and much code
// that does not suspend.
var file = template.Must(template.New("").Parse(`package {{.Name}}

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/movenext/movenext/job"
{{range .Imports}}	"example.com/large/{{.}}"
{{end}})

var errNegative = errors.New("negative")
{{range $i := .Functions}}
// F{{$i}} is one of many.
//
//movenext:async
func F{{$i}}(ctx context.Context, n int) (int, error) {
	if n < 0 {
		return 0, fmt.Errorf("{{$.Name}}.F{{$i}}: %w", errNegative)
	}
	sum := 0
	for i := range n {
		v, err := step{{$i}}(ctx, strings.Repeat("x", i))
		if err != nil {
			return sum, err
		}
		sum += v
	}
	switch {
	case sum > 100:
		if err := job.Sleep(ctx, time.Millisecond); err != nil {
			return 0, err
		}
{{range $.Imports}}	case sum%7 == len("{{.}}"):
		v, err := {{.}}.F{{$i}}(ctx, n-1)
		if err != nil {
			return 0, err
		}
		sum += v
{{end}}	default:
		job.Yield()
	}
	return sum, nil
}

// step{{$i}} does not suspend.
func step{{$i}}(ctx context.Context, text string) (int, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	counts := map[string]int{}
	for _, f := range fields {
		counts[strings.ToLower(f)]++
	}
	best := ""
	for word, n := range counts {
		if n > counts[best] || n == counts[best] && word < best {
			best = word
		}
	}
	return len(best) + len(text), ctx.Err()
}
{{end}}`))

func packageName(i int) string { return fmt.Sprintf("p%03d", i) }

// write writes the module to dir.
func (m module) write(dir string) error {
	if err := writeModFiles(dir); err != nil {
		return err
	}
	for i := range m.packages {
		name := packageName(i)
		var imports []string
		for _, back := range []int{1, 7, 31} {
			if i-back >= 0 {
				imports = append(imports, packageName(i-back))
			}
		}
		// Two files per package, each with half of the functions.
		var functions [2][]int
		for f := range m.functions {
			functions[f%2] = append(functions[f%2], f)
		}
		for j, base := range []string{"a.go", "b.go"} {
			text, err := source(name, imports, functions[j])
			if err != nil {
				return err
			}
			if j > 0 {
				text = bytes.Replace(text, []byte("\nvar errNegative = errors.New(\"negative\")\n"), nil, 1)
				text = bytes.Replace(text, []byte("\t\"errors\"\n"), nil, 1)
			}
			if err := writeFile(filepath.Join(dir, name, base), text); err != nil {
				return err
			}
		}
	}
	return nil
}

func source(name string, imports []string, functions []int) ([]byte, error) {
	var b bytes.Buffer
	err := file.Execute(&b, struct {
		Name      string
		Imports   []string
		Functions []int
	}{name, imports, functions})
	return b.Bytes(), err
}

// writeModFiles makes the module require the runtime from the folder where this command runs, with
// the dependency versions required there, so that nothing is fetched.
func writeModFiles(dir string) error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", runtimeModule).Output()
	if err != nil {
		return fmt.Errorf("run this inside of the module %s: %w", runtimeModule, err)
	}
	root := strings.TrimSpace(string(out))
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	_, requirements, _ := strings.Cut(string(data), "\nrequire ")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	mod := fmt.Sprintf("module example.com/large\n\ngo 1.26.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n\nrequire %[3]s", runtimeModule, root, requirements)
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte(mod)); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "go.sum"), sum)
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
