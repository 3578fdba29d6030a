package main

import (
	"fmt"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/suite"
)

// axis is a quantity that grows.
type axis struct {
	name string

	// fits reports whether the axis changes anything about the workload.
	fits func(*suite.Work) bool

	// sizes are the values on the axis.
	sizes func(config) []int

	// apply changes a plan for the whole work into one for a value on the axis.
	apply func(*measure.Plan, int)
}

var axes = []axis{
	{
		name:  "jobs",
		fits:  func(*suite.Work) bool { return true },
		sizes: decades,
		apply: func(p *measure.Plan, n int) { p.N = n },
	},
	{
		name:  "producers",
		fits:  func(w *suite.Work) bool { return w.Producers },
		sizes: func(c config) []int { return c.producers },
		apply: func(p *measure.Plan, n int) { p.Setting.Producers = n },
	},
	{
		name:  "workers",
		fits:  func(w *suite.Work) bool { return w.Workers },
		sizes: func(c config) []int { return c.workers },
		apply: func(p *measure.Plan, n int) { p.Setting.Workers = n },
	},
}

// decades returns the numbers of jobs: each ten times the previous one, and the last one.
func decades(c config) (sizes []int) {
	for n := c.from; n < c.to; n *= 10 {
		sizes = append(sizes, n)
	}
	return append(sizes, c.to)
}

// parseAxes reads a list of names.
func parseAxes(list string) (all []axis, err error) {
	for _, name := range strings.Split(list, ",") {
		found := false
		for _, a := range axes {
			if a.name == name {
				all, found = append(all, a), true
			}
		}
		if !found {
			return nil, fmt.Errorf("flags: -axes: %q is none", name)
		}
	}
	return all, nil
}
