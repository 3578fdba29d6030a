package coverage

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// Move returns a profile in which the counts of generated files are added to those of their
// sources. Findings are those of the generator, for the packages with generated files in the
// profile; if there are any, there is no profile.
func Move(cfg codegen.Config, data []byte) ([]byte, []codegen.Diagnostic, error) {
	p, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	generated := slices.DeleteFunc(p.files(), func(name string) bool { return !strings.HasSuffix(name, "_async.go") })
	var packages []string
	for _, file := range generated {
		packages = append(packages, path.Dir(file))
	}
	if len(packages) == 0 {
		return data, nil, nil
	}
	traces, found, err := codegen.Traces(cfg, slices.Compact(packages)...)
	if err != nil || len(found) > 0 {
		return nil, found, err
	}
	env, _ := cfg.GoCommand()
	for i := range traces {
		file := &twin{Trace: &traces[i]}
		file.source = path.Join(file.Import, filepath.Base(file.Source))
		file.generated = path.Join(file.Import, filepath.Base(file.Path))
		if !slices.Contains(generated, file.generated) {
			continue
		}
		if err := p.move(env, file); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file.generated, err)
		}
	}
	return p.text(), nil, nil
}

// ErrStale means that a generated file is not what would be generated now: what its lines execute
// is not known.
var ErrStale = errors.New("it is not up to date; generate, and test again")

// twin is a generated file and its source.
type twin struct {
	*codegen.Trace

	source, generated string // their names in a profile
}

// move removes the blocks of a generated file, and adds their counts to the blocks of its source.
func (p *profile) move(env []string, file *twin) error {
	if !file.Fresh {
		return ErrStale
	}
	text, err := os.ReadFile(file.Source)
	if err != nil {
		return err
	}
	list, err := statements(withoutDirectives(text), func(line int) int { return line })
	if err != nil {
		return err
	}
	executed, err := p.executed(env, file)
	if err != nil {
		return err
	}
	p.merge(file, executed.counts(list, p.extents(file.source)))
	return nil
}

// merge adds counts to the blocks of a file, once each, and removes those of the generated file.
func (p *profile) merge(file *twin, counts map[extent]int64) {
	p.blocks = slices.DeleteFunc(p.blocks, func(c counted) bool { return c.file == file.generated })
	for i := range p.blocks {
		c := &p.blocks[i]
		if c.file != file.source {
			continue
		}
		c.count += counts[c.extent]
		delete(counts, c.extent)
		if p.mode == "set" {
			c.count = min(c.count, 1)
		}
	}
}

// executions are the counts of a generated file.
type executions struct {
	begun map[int]int64   // of statements of the source, by offset
	lines map[key][]int64 // of the blocks with a statement of a place in the source
}

// counts returns how often the blocks of a source have been executed.
func (e *executions) counts(list []statement, blocks []extent) map[extent]int64 {
	sharing := places(list, blocks, func(s statement) (key, bool) { return key{s.Line, s.literal}, true })
	counts := map[extent]int64{}
	known := map[extent]bool{}
	for _, s := range list {
		i := innermost(blocks, s.position)
		if i < 0 || known[blocks[i]] {
			continue
		}
		at := key{s.Line, s.literal}
		counts[blocks[i]], known[blocks[i]] = e.count(s, slices.Index(sharing[at], i), len(sharing[at]))
	}
	// What has no code of its own in the generated file, or shares a block there with code before
	// a label, was executed if what is inside of it was, or what comes behind it.
	for _, s := range slices.Backward(list) {
		i := innermost(blocks, s.position)
		if i < 0 {
			continue
		}
		mine := blocks[i]
		if s.next >= 0 && list[s.next].labelled < 0 && counts[mine] == 0 {
			if j := innermost(blocks, list[s.next].position); j >= 0 {
				counts[mine] = counts[blocks[j]]
			}
		}
		if s.inside >= 0 && counts[mine] > 0 {
			if j := innermost(blocks, list[s.inside].position); j >= 0 && counts[blocks[j]] == 0 {
				counts[blocks[j]] = 1
			}
		}
	}
	return counts
}

// count returns how often a statement of the source has begun, if the generated file has code for
// it. Of the blocks of the source that have a statement at its place, it is in number n of all.
func (e *executions) count(s statement, n, all int) (int64, bool) {
	for _, offset := range []int{s.offset, s.labelled} {
		if times, ok := e.begun[offset]; ok {
			return times, true
		}
	}
	times := e.lines[key{s.Line, s.literal}]
	switch len(times) {
	case 0:
		return 0, false
	case all:
		return times[n], true
	}
	return slices.Max(times), true
}

// executed returns the counts of a generated file.
func (p *profile) executed(env []string, file *twin) (*executions, error) {
	inText, inProfile, err := blocks(env, file.Data)
	if err != nil {
		return nil, err
	}
	line := func(n int) int { return file.Places[min(n, len(file.Places))-1].Line }
	generated, err := statements(withoutDirectives(file.Data), line)
	if err != nil {
		return nil, err
	}
	of := map[block]int64{}
	for _, c := range p.blocks {
		if c.file == file.generated {
			of[c.block] += c.count
		}
	}
	e := &executions{begun: map[int]int64{}, lines: map[key][]int64{}}
	machines := e.addBegun(file.Places, generated, func(s statement) (int64, bool) {
		i := innermost(inText, s.position)
		if i < 0 {
			return 0, false
		}
		return of[inProfile[i]], true
	})
	// Outside of all lists, a machine has its own statements, of which the first ones say what
	// begins there.
	found := places(generated, inText, func(s statement) (key, bool) {
		at := line(s.Line)
		own := at == 0 || s.depth == 0 && machines[s.function]
		return key{at, s.literal}, !own
	})
	for at, list := range found {
		for _, i := range list {
			e.lines[at] = append(e.lines[at], of[inProfile[i]])
		}
	}
	return e, nil
}

// addBegun adds the counts of the statements that begin at lines of the generated file, and
// returns the functions in which some do.
func (e *executions) addBegun(places []codegen.Place, list []statement, count func(statement) (int64, bool)) (machines map[int]bool) {
	machines = map[int]bool{}
	next := 0
	for n, place := range places {
		for next < len(list) && list[next].Line < n+1 {
			next++
		}
		if len(place.Begun) == 0 || next == len(list) {
			continue
		}
		machines[list[next].function] = true
		if times, ok := count(list[next]); ok {
			for _, offset := range place.Begun {
				e.begun[offset] += times
			}
		}
	}
	return machines
}
