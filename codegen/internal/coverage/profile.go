package coverage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// profile is the contents of a file that go test -coverprofile or go tool covdata textfmt wrote.
type profile struct {
	mode   string // set, count or atomic
	blocks []counted
}

// counted is a block with its count. A profile may list a block several times: once for each test
// binary.
type counted struct {
	file string // import path and base name
	block
	count int64
}

// extent is the extent of a block.
type extent struct{ From, To position }

// position is a line and a column. Without a column, which //line directives take away, that is 0.
type position struct{ Line, Column int }

// ErrNoProfile means that a file is no coverage profile.
var ErrNoProfile = errors.New("not a coverage profile")

// parse reads a profile.
func parse(data []byte) (*profile, error) {
	p := &profile{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if mode, is := strings.CutPrefix(line, "mode: "); is {
			p.mode = mode // several, if profiles were joined
			continue
		}
		if line == "" {
			continue
		}
		block, ok := parseBlock(line)
		if !ok || p.mode == "" {
			return nil, fmt.Errorf("%w: line %d is %q", ErrNoProfile, n, line)
		}
		p.blocks = append(p.blocks, block)
	}
	if p.mode == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrNoProfile)
	}
	return p, nil
}

// blockLine is a line of a profile: example.com/shop/cart.go:10.2,12.16 2 1.
var blockLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

func parseBlock(line string) (counted, bool) {
	m := blockLine.FindStringSubmatch(line)
	if m == nil {
		return counted{}, false
	}
	var numbers []int
	for _, text := range m[2:] {
		n, err := strconv.Atoi(text)
		if err != nil {
			return counted{}, false
		}
		numbers = append(numbers, n)
	}
	return counted{
		file:  m[1],
		block: block{extent{position{numbers[0], numbers[1]}, position{numbers[2], numbers[3]}}, numbers[4]},
		count: int64(numbers[5]),
	}, true
}

// text returns the profile as go test writes it.
func (p *profile) text() []byte {
	var b bytes.Buffer
	b.WriteString("mode: " + p.mode + "\n")
	for _, c := range p.blocks {
		b.WriteString(c.file + ":" + c.From.String() + "," + c.To.String() + " " +
			strconv.Itoa(c.statements) + " " + strconv.FormatInt(c.count, 10) + "\n")
	}
	return b.Bytes()
}

func (p position) String() string { return strconv.Itoa(p.Line) + "." + strconv.Itoa(p.Column) }

// compare orders positions.
func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// innermost returns the index of the smallest of some blocks that has a position in it, or -1.
// Of two blocks with a position in them, one has the other in it, and begins earlier.
func innermost(blocks []extent, at position) int {
	found := -1
	for i, b := range blocks {
		if b.From.compare(at) <= 0 && at.compare(b.To) < 0 && (found < 0 || blocks[found].From.compare(b.From) < 0) {
			found = i
		}
	}
	return found
}

// files returns the names of the files in the profile, each once.
func (p *profile) files() []string {
	var list []string
	for _, c := range p.blocks {
		if len(list) == 0 || list[len(list)-1] != c.file {
			list = append(list, c.file)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// extents returns the blocks of a file, each once.
func (p *profile) extents(file string) []extent {
	seen := map[extent]bool{}
	for _, c := range p.blocks {
		if c.file == file {
			seen[c.extent] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}
