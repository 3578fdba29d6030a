package codegen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// stepsOfLayouts are the steps that the cases of layouts call.
const stepsOfLayouts = `package p

import "context"

//movenext:step
func reserve(ctx context.Context, n int) (int, error) { return n, nil }

//movenext:step
func charge(ctx context.Context, n int) (int, error) { return n, nil }

//movenext:step
func ship(ctx context.Context, n int) error { return nil }

//movenext:step
func note(ctx context.Context, n int) error { return nil }

//movenext:step
func release(ctx context.Context, n int) error { return nil }
`

// history is a module in which each case is a package with successive versions.
type history struct {
	t     *testing.T
	dir   string
	cases []archive
	first map[string]string // the hash of a case's first layout
}

// write installs a version of each case that has it, and returns the names of those cases.
func (h *history) write(version string) map[string]bool {
	wrote := map[string]bool{}
	for _, c := range h.cases {
		for _, f := range c.Files {
			name, ok := strings.CutPrefix(f.Name, version+"/")
			if !ok {
				continue
			}
			wrote[c.name] = true
			text := strings.ReplaceAll(string(f.Data), "LAYOUT", h.first[c.name])
			testmodule.Write(h.t, filepath.Join(h.dir, c.name, name), []byte(text))
		}
	}
	return wrote
}

func (h *history) generate(config codegen.Config) *codegen.Result {
	h.t.Helper()
	config.Dir = h.dir
	result, err := codegen.Generate(config, "./...")
	require.NoError(h.t, err)
	return result
}

var ofLayouts = regexp.MustCompile(`(?m)^\tlayout ([0-9a-f]{16})$`)

// findings returns the findings of a run in the package of a case, one per line, without folders.
func (h *history) findings(name string, list []codegen.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		if rest, ok := strings.CutPrefix(d.String(), filepath.Join(h.dir, name)+string(filepath.Separator)); ok {
			b.WriteString(rest + "\n")
		}
	}
	return b.String()
}

// TestLayouts runs the cases of testdata/layouts: versions of a package, in numbered folders. The
// versions between the first and the last are accepted unconditionally. Under want/ are the
// findings for the last version by generate (findings), by accept, which accepts only what is
// acceptable, and by accept -strand; and finally the past that the generated function knows.
func TestLayouts(t *testing.T) {
	h := &history{t: t, dir: testmodule.New(t, "example.com/cases"), cases: archives(t, "testdata/layouts/*.txtar"), first: map[string]string{}}
	for _, c := range h.cases {
		testmodule.Write(t, filepath.Join(h.dir, c.name, "steps.go"), []byte(stepsOfLayouts))
	}
	h.write("1")
	require.Empty(t, h.generate(codegen.Config{}).Diagnostics)
	names := []string{"order"}
	for _, c := range h.cases {
		data, err := os.ReadFile(filepath.Join(h.dir, c.name, "movenext_layouts.txt"))
		require.NoError(t, err)
		h.first[c.name] = ofLayouts.FindStringSubmatch(string(data))[1]
	}
	second := h.write("2")
	third := map[string]bool{}
	for _, c := range h.cases {
		third[c.name] = len(fileOf(c.Archive, "3/order.go")) > 0
	}
	require.Contains(t, third, "removed_and_added")
	if third["removed_and_added"] {
		result, err := codegen.Generate(codegen.Config{Dir: h.dir, Accept: names, Strand: true}, "./removed_and_added")
		require.NoError(t, err)
		require.Empty(t, result.Diagnostics)
	}
	h.write("3")
	require.Len(t, second, len(h.cases))

	told := h.generate(codegen.Config{DryRun: true})
	accepted := h.generate(codegen.Config{DryRun: true, Accept: names})
	stranded := h.generate(codegen.Config{Accept: names, Strand: true})
	again := h.generate(codegen.Config{})
	for _, c := range h.cases {
		t.Run(c.name, func(t *testing.T) {
			got := map[string]string{"want/findings": h.findings(c.name, told.Diagnostics)}
			if got["want/findings"] == "" {
				delete(got, "want/findings")
			}
			if rest := h.findings(c.name, accepted.Diagnostics); rest != "" && rest != got["want/findings"] {
				got["want/accept"] = rest
			}
			if rest := h.findings(c.name, stranded.Diagnostics); rest == "" {
				assert.Empty(t, h.findings(c.name, again.Diagnostics), "what was accepted is accepted")
				got["want/past"] = h.past(t, c.name)
			}
			checkLayouts(t, c, got)
		})
	}
}

// past returns the past according to the layout file, and according to the generated function.
func (h *history) past(t *testing.T, name string) string {
	t.Helper()
	var b strings.Builder
	data, err := os.ReadFile(filepath.Join(h.dir, name, "movenext_layouts.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "function", "gone", "removed", "stranded", "migrated", "accepted", "layout":
			b.WriteString(strings.TrimLeft(line, "\t"))
		}
	}
	if data, err = os.ReadFile(filepath.Join(h.dir, name, "order_async.go")); err == nil {
		known := regexp.MustCompile(`(?ms)^\tLayout: .*?^\tPoints:`).FindString(string(data))
		b.WriteString(strings.ReplaceAll(strings.TrimSuffix(known, "\tPoints:"), "\t", ""))
	}
	return b.String()
}

// checkLayouts compares the results of a case with the expected ones, or records them.
func checkLayouts(t *testing.T, c archive, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	var files []txtar.File
	for _, f := range c.Files {
		if strings.HasPrefix(f.Name, wanted) {
			want[f.Name] = string(f.Data)
		} else {
			files = append(files, f)
		}
	}
	if !*update {
		assert.Equal(t, want, got)
		return
	}
	for _, name := range []string{"want/findings", "want/accept", "want/past"} {
		if text, ok := got[name]; ok {
			files = append(files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	require.NoError(t, os.WriteFile(c.path, txtar.Format(&txtar.Archive{Comment: c.Comment, Files: files}), 0o644))
}
