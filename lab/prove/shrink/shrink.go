// Package shrink makes a failing program smaller: it removes parts of the source as long as the
// rest still fails.
//
// It works on the source, by the positions of the syntax tree, and does not know how the program
// was created. Testing one program takes as long as testing a hundred, so a round tests a hundred
// smaller programs at once, each with one thing removed. The next batch removes many of the things
// whose removal preserved the failure, all together, since most of them are independent.
package shrink

import (
	"cmp"
	"slices"
	"strings"
)

// Test is the caller's knowledge about programs.
type Test struct {
	// Mend makes a source compile, with small additions if necessary, or fails. It is cheap, and
	// filters out sources that are not worth testing.
	Mend func(source string) (string, error)

	// Fails reports which of the programs still fail. It is expensive, but takes the same time
	// for one program as for many.
	Fails func(sources []string) ([]bool, error)

	// AtOnce is the maximum number of sources for one call of Fails.
	AtOnce int
}

// Shrink returns the smallest failing source that it finds; source itself must fail. On the first
// error of Fails, it returns the best source so far with the error.
func Shrink(source string, t Test) (string, error) {
	for {
		smaller, err := t.round(source)
		if err != nil || smaller == "" {
			return source, err
		}
		source = smaller
	}
}

// candidate is a smaller program, made by one or several cuts.
type candidate struct {
	cuts   []cut
	source string
}

// round returns a smaller source that fails, or "" if there is none.
func (t Test) round(source string) (string, error) {
	all := t.candidates(source)
	for len(all) > 0 {
		chunk := all[:min(t.AtOnce, len(all))]
		all = all[len(chunk):]
		failing, err := t.failing(chunk)
		if err != nil {
			return "", err
		}
		if len(failing) > 0 {
			return t.combine(source, failing)
		}
	}
	return "", nil
}

// candidates returns the programs with one thing removed, the smallest first.
func (t Test) candidates(source string) []candidate {
	var list []candidate
	seen := map[string]bool{}
	for _, c := range cuts(source) {
		if next, ok := t.cut(source, c); ok && !seen[next.source] {
			seen[next.source] = true
			list = append(list, next)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.source), len(b.source)) })
	return list
}

// cut returns source with cuts applied, if the result is smaller and can be mended.
func (t Test) cut(source string, list ...cut) (candidate, bool) {
	mended, err := t.Mend(apply(source, list))
	return candidate{list, mended}, err == nil && len(mended) < len(source)
}

func (t Test) failing(list []candidate) ([]candidate, error) {
	var sources []string
	for _, c := range list {
		sources = append(sources, c.source)
	}
	fails, err := t.Fails(sources)
	if err != nil {
		return nil, err
	}
	var failing []candidate
	for i, c := range list {
		if fails[i] {
			failing = append(failing, c)
		}
	}
	return failing, nil
}

// combine applies as many of the failing cuts as still fail together: all of them, half of them,
// and so on.
func (t Test) combine(source string, failing []candidate) (string, error) {
	var list []candidate
	for n := len(failing); n > 1; n /= 2 {
		for from := 0; from+n <= len(failing) && from < 4*n; from += n {
			if c, ok := t.together(source, failing[from:from+n]); ok {
				list = append(list, c)
			}
		}
	}
	more, err := t.failing(list)
	best := slices.MinFunc(append(more, failing...), func(a, b candidate) int { return cmp.Compare(len(a.source), len(b.source)) })
	return best.source, err
}

// together applies the cuts of several candidates, without cuts inside of others.
func (t Test) together(source string, list []candidate) (candidate, bool) {
	var made []cut
	for _, c := range list {
		if !slices.ContainsFunc(made, c.cuts[0].overlaps) {
			made = append(made, c.cuts[0])
		}
	}
	return t.cut(source, made...)
}

// apply applies cuts that do not overlap.
func apply(source string, list []cut) string {
	var parts []replacement
	for _, c := range list {
		parts = append(parts, c...)
	}
	slices.SortFunc(parts, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, p := range parts {
		b.WriteString(source[at:p.from])
		b.WriteString(p.with)
		at = p.to
	}
	b.WriteString(source[at:])
	return b.String()
}
