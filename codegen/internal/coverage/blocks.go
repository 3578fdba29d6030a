package coverage

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// block is a block as a profile names it. In a file with //line directives, blocks of other lines
// may have the same extent.
type block struct {
	extent
	statements int
}

// blocks returns the blocks of a Go file as the go command counts them: their positions in the
// text, and the names that a profile has for them, where //line directives apply. Only the tool
// itself knows where blocks begin and end, so it runs on the file with its directives and without.
func blocks(env []string, text []byte) (inText []extent, inProfile []block, err error) {
	dir, err := os.MkdirTemp("", "movenext-cover-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	inProfile, err = instrumented(env, dir, text)
	if err != nil {
		return nil, nil, err
	}
	plain, err := instrumented(env, dir, withoutDirectives(text))
	for _, b := range plain {
		inText = append(inText, b.extent)
	}
	if err == nil && len(inText) != len(inProfile) {
		err = fmt.Errorf("go tool cover finds %d blocks in a file and %d in the same file without //line directives", len(inProfile), len(inText))
	}
	return inText, inProfile, err
}

// withoutDirectives makes comments of the //line directives in a text of which all positions stay.
func withoutDirectives(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("//line "), []byte("//Line ")), []byte("/*line "), []byte("/*Line "))
}

// The entries of a block in the tables that go tool cover adds to a file: the two lines and the
// columns in one number, and the number of statements.
var (
	extentEntry     = regexp.MustCompile(`(?m)^\t\t(\d+), (\d+), 0x([0-9a-f]+), // \[\d+\]$`)
	statementsEntry = regexp.MustCompile(`(?m)^\t\t(\d+), // \d+$`)
)

// instrumented returns the blocks of a file, in the order of their counters.
func instrumented(env []string, dir string, text []byte) ([]block, error) {
	file := filepath.Join(dir, "x.go")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	const variable = "movenextCover"
	cover := exec.Command("go", "tool", "cover", "-mode=set", "-var="+variable, file)
	cover.Dir, cover.Env = dir, env
	var stderr bytes.Buffer
	cover.Stderr = &stderr
	out, err := cover.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool cover: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	table := out[max(bytes.LastIndex(out, []byte("var "+variable+" = struct")), 0):]
	numbers := statementsEntry.FindAllSubmatch(table, -1)
	var list []block
	for i, m := range extentEntry.FindAllSubmatch(table, -1) {
		from, _ := strconv.Atoi(string(m[1]))
		to, _ := strconv.Atoi(string(m[2]))
		columns, _ := strconv.ParseUint(string(m[3]), 16, 64)
		b := block{extent: extent{position{from, int(columns & 0xffff)}, position{to, int(columns >> 16)}}}
		if i < len(numbers) {
			b.statements, _ = strconv.Atoi(string(numbers[i][1]))
		}
		list = append(list, b)
	}
	return list, nil
}
