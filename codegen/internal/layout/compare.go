package layout

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is a reason why instances of an old layout cannot simply be resumed.
type Difference struct {
	Point string // a point of the new layout, if it has the point: the position to report
	What  string
	Why   string

	// Fatal differences cannot be accepted: what was saved cannot be loaded.
	Fatal bool
}

// Compare returns the obstacles to resuming instances saved with the layout old in code with the
// layout now. If there are none, the layouts are compatible.
func Compare(old, now *Layout) []Difference {
	c := &comparison{old: old, now: now, before: flowOf(old), after: flowOf(now)}
	for i := range old.Points {
		c.point(&old.Points[i])
	}
	for _, u := range old.Undos {
		c.undo(u)
	}
	return c.found
}

// comparison collects differences.
type comparison struct {
	old, now      *Layout
	before, after *flow
	found         []Difference
}

func (c *comparison) add(fatal bool, point, what, why string) {
	c.found = append(c.found, Difference{Point: point, What: what, Why: why, Fatal: fatal})
}

// point compares the values that instances have at a point with the values they need.
func (c *comparison) point(old *Point) {
	now := c.now.Point(old.Name)
	switch {
	case now == nil:
		c.add(true, "", "the point "+old.Name+" is gone", "an instance that was saved there has nowhere to continue")
		return
	case now.Kind != old.Kind:
		c.add(true, old.Name, fmt.Sprintf("the point %s was a %s and is a %s", old.Name, old.Kind, now.Kind), "an instance that was saved there waits for something else")
		return
	case now.Callee != old.Callee:
		c.add(false, old.Name, fmt.Sprintf("the point %s called %s and calls %s", old.Name, old.Callee, now.Callee), "an instance that was saved there calls the new one, perhaps after the old one has had its effect")
	}
	c.values(old, now)
	c.gives(old, now)
	c.findRepeated(old.Name)
	c.findSkipped(old.Name)
}

// values compares values by name and complete type.
func (c *comparison) values(old, now *Point) {
	for _, v := range now.Values {
		i := slices.IndexFunc(old.Values, func(was Value) bool { return was.Name == v.Name })
		if i < 0 {
			c.add(true, now.Name, fmt.Sprintf("%s is needed at %s", v.Name, now.Name), "it was not saved there before")
			continue
		}
		if change := c.difference(old.Values[i].Type, v.Type); change != "" {
			c.add(true, now.Name, fmt.Sprintf("the type of %s, which is needed at %s, has changed: %s", v.Name, now.Name, change), "what was saved is of the old type")
		}
	}
	for _, v := range old.Values {
		if !slices.ContainsFunc(now.Values, func(is Value) bool { return is.Name == v.Name }) {
			c.add(false, now.Name, fmt.Sprintf("%s is no longer needed at %s", v.Name, now.Name), "what was saved of it is dropped when an instance continues there")
		}
	}
}

// gives compares the results of steps and the values of signals. Neither is in a checkpoint.
func (c *comparison) gives(old, now *Point) {
	change := c.difference(old.Gives, now.Gives)
	if change == "" {
		return
	}
	if now.Kind == Receive {
		c.add(false, now.Name, fmt.Sprintf("the type of the signal at %s has changed: %s", now.Name, change), "one that was sent before is of the old type, and Receive fails if that does not fit")
		return
	}
	c.add(false, now.Name, fmt.Sprintf("what the step at %s returns has changed: %s", now.Name, change), "an instance that was saved there repeats the step, which may have had its effect already")
}

// difference describes how a type differs in any part, or returns "".
func (c *comparison) difference(old, now string) string {
	if old != now {
		return fmt.Sprintf("it was %s and is %s", orNothing(old), orNothing(now))
	}
	for _, name := range c.now.typesIn(now) {
		is, _ := c.now.define(name)
		was, known := c.old.define(name)
		if known && !sameType(was, is) {
			return fmt.Sprintf("%s was %s and is %s", name, was, is)
		}
	}
	return ""
}

func orNothing(t string) string {
	if t == "" {
		return "nothing"
	}
	return t
}

// sameType compares the old and the new definition of a name. A basic type may have new
// constants; the old constants must have kept their values.
func sameType(was, is string) bool {
	if was == is {
		return true
	}
	basic, old, ok := strings.Cut(was, constants)
	now, list, also := strings.Cut(is, constants)
	if basic != now || !ok && !also {
		return false
	}
	have := strings.Split(list, "; ")
	for _, one := range strings.Split(old, "; ") {
		if one != "" && !slices.Contains(have, one) {
			return false
		}
	}
	return true
}

// constants separates a basic type from the constants of its named type.
const constants = " with "

// Basic returns the text of a named basic type, whose constants are "Name = value".
func Basic(kind string, list []string) string {
	if len(list) == 0 {
		return kind
	}
	return kind + constants + strings.Join(list, "; ")
}

// findRepeated finds steps that would run twice: they may have run before the point or at it,
// could not run again in the old code, and can in the new.
func (c *comparison) findRepeated(p string) {
	for _, q := range c.after.names {
		if c.after.mayFollow(p, q) && (q == p || c.before.mayFollow(q, p)) && !c.before.mayFollow(p, q) {
			c.add(false, p, fmt.Sprintf("%s can follow %s", q, p), "an instance that was saved at "+p+" may have passed "+q+" already, and would run it twice")
		}
	}
}

// findSkipped finds steps that an instance at the point has not run, although the new code never
// reaches the point without running them.
func (c *comparison) findSkipped(p string) {
	for _, d := range c.after.names {
		if c.after.dominates(d, p) && !c.before.dominates(d, p) {
			c.add(false, d, fmt.Sprintf("%s always comes before %s", d, p), "an instance that was saved at "+p+" may have come there without, and would skip it")
		}
	}
}

// undo finds a compensation that may have been deferred but no longer exists.
func (c *comparison) undo(old Undo) {
	for _, now := range c.now.Undos {
		if now.Step != old.Step {
			continue
		}
		if now.Callee != old.Callee || len(now.Types) != len(old.Types) {
			c.add(true, "", "the deferred call of "+old.Step+" has changed", "an instance that has deferred it has other arguments")
			return
		}
		for i, t := range now.Types {
			if change := c.difference(old.Types[i], t); change != "" {
				c.add(true, "", fmt.Sprintf("argument %d of the deferred call of %s has changed: %s", i+1, old.Step, change), "an instance that has deferred it has saved the old one")
			}
		}
		return
	}
	c.add(true, "", "the deferred call of "+old.Step+" is gone", "an instance that has deferred it could not make it when it fails")
}
