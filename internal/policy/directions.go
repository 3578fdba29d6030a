package policy

import (
	"fmt"
	"slices"
	"strings"
)

// directions returns the rule that enforces a plan's rows.
func directions(rows []Direction) func(*Tree) []Finding {
	return func(t *Tree) []Finding {
		g := importsOf(t)
		var found []Finding
		for _, row := range rows {
			for _, from := range g.packages {
				if matches(row.From, from) && !matches(row.Except, from) {
					found = append(found, row.check(g, from)...)
				}
			}
		}
		return found
	}
}

func (row Direction) check(g *imports, from string) []Finding {
	if row.Direct {
		return row.statements(g, from)
	}
	return row.reach(g, from)
}

func (row Direction) forbids(imported string) bool {
	return matches(row.Never, imported) && !matches(row.Save, imported)
}

// statements checks each import statement of one package.
func (row Direction) statements(g *imports, from string) []Finding {
	var found []Finding
	for _, s := range g.edges[from] {
		if s.ours && s.imported != from && row.forbids(s.imported) {
			found = append(found, row.finding(s, []string{from, s.imported}))
		}
	}
	return found
}

// reach checks which packages the files of one package reach through files that are not
// tests. It searches breadth first, so the chain that it reports is a shortest one. It
// does not search beyond a forbidden package, whose imports are a consequence.
func (row Direction) reach(g *imports, from string) []Finding {
	type path struct {
		first statement // where the chain leaves from
		chain []string
	}
	var found []Finding
	seen := map[string]bool{from: true}
	queue := []path{{chain: []string{from}}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, s := range g.edges[at.chain[len(at.chain)-1]] {
			if !s.ours || s.file.Test || seen[s.imported] {
				continue
			}
			seen[s.imported] = true
			next := path{at.first, append(slices.Clip(at.chain), s.imported)}
			if len(at.chain) == 1 {
				next.first = s
			}
			if row.forbids(s.imported) {
				found = append(found, row.finding(next.first, next.chain))
				continue
			}
			queue = append(queue, next)
		}
	}
	return found
}

func (row Direction) finding(s statement, chain []string) Finding {
	last := chain[len(chain)-1]
	return Finding{
		Path: s.file.Path,
		Line: s.line(),
		Name: last,
		What: fmt.Sprintf("%s must not import %s (%s)", chain[0], last, strings.Join(chain, " → ")),
		Mend: row.Because + "; move what is needed to a package below both, or hand it in as an interface",
	}
}

// residents returns the rule that checks the lists of packages themselves.
func residents(existing, planned []string) func(*Tree) []Finding {
	return func(t *Tree) []Finding {
		_, here := folders(t.Main())
		var found []Finding
		for _, name := range existing {
			if here[name] == nil {
				found = append(found, Finding{
					Path: name,
					What: "a package of the house is gone",
					Mend: "if it was renamed or removed on purpose, change its rows in internal/policy/layers.go too, or they hold nothing from now on",
				})
			}
		}
		for _, name := range planned {
			if here[name] != nil {
				found = append(found, Finding{
					Path: name,
					What: "a planned package has arrived",
					Mend: "move its line from planned to existing in internal/policy/layers.go, so that its rows cannot lose it again",
				})
			}
		}
		return found
	}
}
