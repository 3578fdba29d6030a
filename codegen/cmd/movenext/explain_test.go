package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const programSource = `package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
)

//movenext:async
func twice(n int) int {
	for range 2 {
		job.Yield()
		n *= 3
	}
	return n
}

func main() { fmt.Println(twiceAsync(1).Wait(context.Background())) }
`

func TestExplainWritesNothingBesideTheSource(t *testing.T) {
	dir := folder(t, map[string]string{"main.go": programSource})
	page := filepath.Join(t.TempDir(), "page.html")
	status, stdout, stderr := movenext("explain", "-C", dir, "-format=html", "-o", page, ".", "twice", "--", "go", "run", ".")
	require.Equal(t, exitOK, status, stderr)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "9 <nil>\n", "what the program printed")
	require.NoFileExists(t, filepath.Join(dir, "main_async.go"))
	require.NoFileExists(t, filepath.Join(dir, "movenext_record.go"))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, step := range []string{
		`"Event":"start","State":0`, `"Event":"suspend","State":1`, `"Event":"resume","State":1`, `"Event":"line","State":1,"Line":14`,
		`{"Name":"n","Value":"9"}`, `"Event":"finish"`,
	} {
		assert.Contains(t, string(text), step)
	}

	status, stdout, stderr = movenext("explain", "-C", dir)
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "point 1, line 13: job.Yield()\n")
}

func TestExplainSaysWhatIsWrongWithItsArguments(t *testing.T) {
	for _, c := range []struct {
		message string
		args    []string
	}{
		{`unknown format "svg": want text, mermaid, dot or html`, []string{"-format=svg"}},
		{"only a page shows a run: add -format=html", []string{".", "--", "go", "run", "."}},
		{"there is no command behind --", []string{"-format=html", "--"}},
	} {
		status, stdout, stderr := movenext(append([]string{"explain"}, c.args...)...)
		assert.Equal(t, exitUsage, status)
		assert.Empty(t, stdout)
		assert.Equal(t, "movenext: "+c.message+"\n", stderr)
	}
	status, _, stderr := movenext("explain", "-help")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, explainUsage, stderr)
}

func TestExplainOfWhatIsNotThereOrNotRun(t *testing.T) {
	dir := folder(t, map[string]string{"main.go": programSource, "other/other.go": "package main\n\nfunc main() {}\n"})
	status, _, stderr := movenext("explain", "-C", dir, ".", "thrice")
	assert.Equal(t, exitUsage, status)
	assert.Equal(t, "movenext: no annotated function thrice in .\n", stderr)

	status, _, stderr = movenext("explain", "-C", dir, "-format=html", ".", "--", "go", "run", "./other")
	assert.Equal(t, exitUsage, status)
	assert.Equal(t, "movenext: go run ./other has not run .: there is no recording\n", stderr)

	status, _, stderr = movenext("explain", "-C", dir, "-format=html", ".", "--", "go", "run", "./missing")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "movenext: running go run ./missing: exit status 1\n")

	status, _, stderr = movenext("explain", "-C", folder(t, map[string]string{"x.go": "package p\n\n//movenext:async\nvar x int\n"}))
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x.go:3:")
}
