package docs

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// block is a fenced code block of a page, with the directive in the comment right
// above it:
//
//	<!-- from: examples/00-hello/main.go -->   the block is a part of that file
//	<!-- output of: go run ./examples/x -->    the block is what that command prints
type block struct {
	language, text string
	verb, argument string
}

const root = ".."

var (
	fence         = regexp.MustCompile("(?s)(?:<!-- (from|output of): ([^\n]+?) -->\n)?```([a-z]*)\n(.*?)```")
	link          = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading       = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	lineDirective = regexp.MustCompile(`(?m)^//line .*\n`)
	notInSlug     = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	headerRule    = regexp.MustCompile(`^\|[ :]*-`) // the line below the header of a table
)

// pages returns all Markdown pages of the project.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && path != root) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			all = append(all, path)
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func blocks(text string) (all []block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		all = append(all, block{verb: m[1], argument: m[2], language: m[3], text: m[4]})
	}
	return all
}

func TestEveryGoSnippetIsPartOfAFileThatIsCompiled(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocks(read(t, page)) {
			if b.language != "go" && b.verb != "from" {
				continue
			}
			if !assert.Equal(t, "from", b.verb, "%s: a Go snippet without `<!-- from: file -->` above it:\n%s", page, b.text) {
				continue
			}
			assert.Contains(t, unlined(read(t, filepath.Join(root, b.argument))), b.text, "%s: not in %s", page, b.argument)
		}
	}
}

// unlined returns a file's text without the directives that a generated file has for stacks. Pages
// leave them out.
func unlined(text string) string { return lineDirective.ReplaceAllString(text, "") }

// TestEveryOutputIsWhatTheCommandPrints runs the commands whose output a page shows. A program
// that has an Example of its main function is not built a second time: that Example's output is
// what the program prints, as the test of its package shows.
func TestEveryOutputIsWhatTheCommandPrints(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocks(read(t, page)) {
			if b.verb != "output of" {
				continue
			}
			if program, ok := strings.CutPrefix(b.argument, "go run ./"); ok {
				if shown, ok := exampleOfMain(t, filepath.Join(root, program)); ok {
					assert.Equal(t, shown, strings.TrimSpace(b.text), "%s: %s", page, b.argument)
					continue
				}
			}
			if !testing.Short() {
				assert.Equal(t, outputOf(t, b.argument), b.text, "%s: %s", page, b.argument)
			}
		}
	}
}

// exampleOfMain returns the output of the Example in a folder that does nothing but call main.
func exampleOfMain(t *testing.T, folder string) (output string, ok bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, e := range doc.Examples(file) {
			if e.Name == "" && e.Output != "" && !e.Unordered && callsMain(e.Code) {
				return strings.TrimSpace(e.Output), true
			}
		}
	}
	return "", false
}

// callsMain reports whether the body of a function is a call of main and nothing else.
func callsMain(body ast.Node) bool {
	block, ok := body.(*ast.BlockStmt)
	if !ok || len(block.List) != 1 {
		return false
	}
	statement, ok := block.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	called, ok := call.Fun.(*ast.Ident)
	return ok && called.Name == "main"
}

// outputOf runs a command in the module's root and returns what it prints.
func outputOf(t *testing.T, command string) string {
	t.Helper()
	words := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", command, stderr.String())
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		text := fence.ReplaceAllString(read(t, page), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); !assert.NoError(t, err, "%s: link to %s", page, m[1]) || anchor == "" {
				continue
			}
			assert.Contains(t, anchors(read(t, file)), anchor, "%s: link to %s", page, m[1])
		}
	}
}

// anchors returns the anchors that forges derive from a page's headings.
func anchors(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(strings.TrimSpace(slug), " ", "-"))
	}
	return all
}

// A page of this repository names files by their paths from its root, or from the page's folder.
var namedFile = regexp.MustCompile("`((?:[a-z][a-z0-9_.-]*/)+[a-z0-9_.-]+\\.(?:go|md|txt|yml|js))`")

func TestEveryFileThatAPageNamesExists(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range namedFile.FindAllStringSubmatch(read(t, page), -1) {
			if folder, _, _ := strings.Cut(m[1], "/"); folder == "walk" {
				continue // of the compiler
			}
			_, fromRoot := os.Stat(filepath.Join(root, m[1]))
			_, fromPage := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			assert.True(t, fromRoot == nil || fromPage == nil, "%s names %s, which does not exist", page, m[1])
		}
	}
}

// TestEveryTableHasItsHeader finds tables that an empty line cuts in two: a forge and the site
// show the rows after it as text.
func TestEveryTableHasItsHeader(t *testing.T) {
	for _, page := range pages(t) {
		before := ""
		lines := strings.Split(fence.ReplaceAllString(read(t, page), ""), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "|") && !strings.HasPrefix(before, "|") {
				assert.True(t, i+1 < len(lines) && headerRule.MatchString(lines[i+1]), "%s: rows without a header: %s", page, line)
			}
			before = line
		}
	}
}

func TestEveryDecisionIsInTheIndex(t *testing.T) {
	records, err := filepath.Glob("decisions/[0-9]*.md")
	require.NoError(t, err)
	index := read(t, "decisions/README.md")
	for _, r := range records {
		assert.Contains(t, index, "("+filepath.Base(r)+")")
	}
}

func TestNoPageIsEmpty(t *testing.T) {
	for _, page := range pages(t) {
		words := len(strings.Fields(heading.ReplaceAllString(read(t, page), "")))
		assert.Greater(t, words, 20, "%s says nothing", page)
	}
}

func TestTheReadmeIsShort(t *testing.T) {
	assert.Less(t, strings.Count(read(t, filepath.Join(root, "README.md")), "\n"), 121)
}
