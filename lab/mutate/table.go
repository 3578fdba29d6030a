package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// score counts the outcomes of a folder's mutations.
type score struct{ mutations, killed, timeout, equivalent, survived int }

func (s *score) count(outcome string) {
	s.mutations++
	switch outcome {
	case killed:
		s.killed++
	case timeout:
		s.timeout++
	case equivalent:
		s.equivalent++
	default:
		s.survived++
	}
}

// percent returns the share of killed mutations among those that are not equivalent.
func (s *score) percent() string {
	n := s.mutations - s.equivalent
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(s.killed+s.timeout)/float64(n))
}

// table returns the score of each folder and the total, followed by the survivors.
func table(list []mutation, verdicts []verdict) string {
	var total score
	folders := map[string]*score{}
	var names []string
	var survivors strings.Builder
	for i, m := range list {
		folder := path.Dir(m.file)
		if folders[folder] == nil {
			folders[folder] = &score{}
			names = append(names, folder)
		}
		folders[folder].count(verdicts[i].outcome)
		total.count(verdicts[i].outcome)
		if verdicts[i].outcome == survivor {
			fmt.Fprintf(&survivors, "survived: %s (%s): %s\n", m.name, m.file, m.invariant)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "folder\tmutations\tkilled\tby a hang\tequivalent\tsurvived\tscore")
	row := func(name string, s *score) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", name, s.mutations, s.killed, s.timeout, s.equivalent, s.survived, s.percent())
	}
	for _, name := range names {
		row(name, folders[name])
	}
	row("all", &total)
	_ = t.Flush()
	return b.String() + survivors.String()
}
