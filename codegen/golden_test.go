package codegen_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// wanted is the folder of a case's expected files.
const wanted = "want/"

// TestGolden runs the cases of testdata: source files, and under want/ the results of a run:
// generated files, and findings in want/findings. A file called options sets the same options as
// the command's flags, as "mode plain" or "goos windows", one per line. Line directives are
// removed from the generated files of most cases, which makes them easier to read; "lines shown"
// keeps them.
//
// Cases with the same options are generated in one run, as packages of one module: that is the
// usual situation, and by far the fastest.
func TestGolden(t *testing.T) {
	cases := archives(t, "testdata/*.txtar")
	groups := map[string][]archive{}
	for _, c := range cases {
		groups[string(fileOf(c.Archive, "options"))] = append(groups[string(fileOf(c.Archive, "options"))], c)
	}
	for options, group := range groups {
		got := golden(t, options, group)
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) { checkGolden(t, c, got[c.name]) })
		}
	}
}

func fileOf(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// golden generates a group of cases and returns the resulting files of each.
func golden(t *testing.T, options string, group []archive) map[string]map[string]string {
	t.Helper()
	dir := testmodule.New(t, "example.com/cases")
	for _, c := range group {
		for _, f := range c.Files {
			if !strings.HasPrefix(f.Name, wanted) && f.Name != "options" {
				testmodule.Write(t, filepath.Join(dir, c.name, f.Name), f.Data)
			}
		}
	}
	before := contents(t, dir)
	config := parseOptions(t, options)
	config.Dir = dir
	result, err := codegen.Generate(config, "./...")
	require.NoError(t, err)
	require.Equal(t, after(before, result), contents(t, dir), "the folder is not as the result says")

	got := map[string]map[string]string{}
	add := func(path, text string) {
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		name, file, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if got[name] == nil {
			got[name] = map[string]string{}
		}
		got[name][wanted+file] += text
	}
	for _, f := range result.Stale() {
		if f.Change == codegen.Removed {
			add(f.Path, "removed\n")
		} else {
			text := unplaced(string(f.Data), dir)
			if !strings.Contains(options, "lines shown") && config.Mode != codegen.Debug {
				text = unlined(text)
			}
			add(f.Path, text)
		}
	}
	said := func(d codegen.Diagnostic, file string) {
		require.True(t, strings.HasPrefix(d.Pos.Filename, dir), "the cases cannot be judged: %s", d)
		name, _, _ := strings.Cut(strings.TrimPrefix(d.Pos.Filename, dir+string(filepath.Separator)), string(filepath.Separator))
		text := filepath.ToSlash(strings.ReplaceAll(d.String(), filepath.Join(dir, name)+string(filepath.Separator), ""))
		add(filepath.Join(dir, name, file), text+"\n")
	}
	for _, d := range result.Diagnostics {
		said(d, "findings")
	}
	for _, d := range result.Warnings {
		said(d, "warnings")
	}
	for _, h := range result.Held {
		name, _, _ := strings.Cut(strings.TrimPrefix(h.Package, "example.com/cases/"), "/")
		add(filepath.Join(dir, name, "findings"), fmt.Sprintf("%s is left as it is because of %s\n", h.Package, h.Because))
	}
	return got
}

// unplaced returns text in which directives name files as if the folder of a case were the current
// one, and without the digest of the original text.
func unplaced(text, dir string) string {
	placed := regexp.MustCompile(`(?m)^//line ` + regexp.QuoteMeta(filepath.ToSlash(dir)) + `/[^/]+/`)
	if !placed.MatchString(text) {
		return text
	}
	text = placed.ReplaceAllString(text, "//line ")
	return regexp.MustCompile(`(?m)^(// Digest of what is above: ).*$`).ReplaceAllString(text, "${1}of full names")
}

// unlined returns a generated file without line directives, with a digest that matches the result.
func unlined(text string) string {
	text = regexp.MustCompile(`(?m)^//line .*\n`).ReplaceAllString(text, "")
	above, digest, sealed := strings.Cut(text, "// Digest of what is above: ")
	if !sealed {
		return text
	}
	sum := sha256.Sum256([]byte(above))
	return fmt.Sprintf("%s// Digest of what is above: %x%s", above, sum[:8], digest[2*8:])
}

func parseOptions(t *testing.T, options string) codegen.Config {
	t.Helper()
	var config codegen.Config
	for line := range strings.Lines(options) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "mode":
			config.Mode = codegen.Mode(value)
		case "goos":
			config.GOOS = value
		case "goarch":
			config.GOARCH = value
		case "lines": // see unlined
		case "tags":
			config.Tags = strings.Split(value, ",")
		default:
			t.Fatalf("unknown option %q", line)
		}
	}
	return config
}

// contents reads every file below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// after applies a result to the contents of a folder.
func after(before map[string]string, result *codegen.Result) map[string]string {
	all := maps.Clone(before)
	for _, f := range result.Files {
		if f.Change == codegen.Removed {
			delete(all, f.Path)
		} else {
			all[f.Path] = string(f.Data)
		}
	}
	return all
}

// checkGolden compares the results of a case with the expected ones, or records them.
func checkGolden(t *testing.T, c archive, got map[string]string) {
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
		for name, text := range want {
			assert.Equal(t, text, got[name], name)
		}
		for name := range got {
			assert.Contains(t, slices.Collect(maps.Keys(want)), name, "generated and not wanted")
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		files = append(files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	data := txtar.Format(&txtar.Archive{Comment: c.Comment, Files: files})
	old, err := os.ReadFile(c.path)
	require.NoError(t, err)
	if !bytes.Equal(old, data) {
		require.NoError(t, os.WriteFile(c.path, data, 0o644))
	}
}
