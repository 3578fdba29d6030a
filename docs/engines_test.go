package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// tests returns the names of all test functions of the repository.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunction.FindAllStringSubmatch(read(t, path), -1) {
				all[m[1]] = true
			}
		}
		return err
	}))
	return all
}

// TestEachAbilityOfDurableIsShownByATest reads the table of docs/engines.md.
func TestEachAbilityOfDurableIsShownByATest(t *testing.T) {
	_, section, ok := strings.Cut(read(t, root+"/docs/engines.md"), "## Row by row")
	require.True(t, ok)
	summary, table, ok := strings.Cut(section, "| --- |")
	require.True(t, ok)
	known := tests(t)
	counts := map[string]int{}
	rows := 0
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) < 6 {
			break
		}
		rows++
		for _, n := range []int{1, 2, 3, 4} {
			word, _, _ := strings.Cut(cells[n], ":")
			assert.Contains(t, []string{"had", "partly", "missing"}, word, line)
			if n == 1 {
				counts[word]++
			}
		}
		if shown := strings.Trim(cells[5], "`"); strings.HasPrefix(cells[1], "missing") {
			assert.Equal(t, "–", shown, line)
		} else {
			assert.True(t, known[shown], "there is no test %s", shown)
		}
	}
	sentence := "Of " + strconv.Itoa(rows) + " rows, durable has " + strconv.Itoa(counts["had"]) + ", " + strconv.Itoa(counts["partly"]) +
		" partly, and misses " + strconv.Itoa(counts["missing"]) + "."
	assert.Contains(t, strings.Join(strings.Fields(summary), " "), sentence)
	assert.Equal(t, 43, rows, "the list of rows is fixed")
}
