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

	// Differences with the same Cause are one for the reader, at several points. Empty: it has
	// its own.
	Cause string
}

// Compare returns the obstacles to resuming instances saved with the layout old in code with the
// layout now. If there are none, the layouts are compatible. A type that has changed is one
// obstacle, however many values at however many points have it.
func Compare(old, now *Layout) []Difference {
	c := &comparison{old: old, now: now, before: flowOf(old), after: flowOf(now), changed: map[string]*changedType{}}
	for i := range old.Points {
		c.point(&old.Points[i])
	}
	for _, t := range c.changed {
		c.found[t.found].What = t.what()
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
	changed       map[string]*changedType // by their description
}

// changedType is a type that has changed, of saved values.
type changedType struct {
	found              int // index of its difference
	change             string
	value, point, last string // the first value and its point; the last point
	values, points     int
}

func (t *changedType) what() string {
	where := t.point
	if t.points > 1 {
		where += fmt.Sprintf(" and at %d more points", t.points-1)
	}
	if t.values > t.points {
		where += fmt.Sprintf(" (%d values)", t.values)
	}
	return fmt.Sprintf("the type of %s, which is needed at %s, has changed: %s", t.value, where, t.change)
}

// addType records that the type of a value has changed.
func (c *comparison) addType(value, point, change string) {
	t := c.changed[change]
	if t == nil {
		t = &changedType{found: len(c.found), change: change, value: value, point: point}
		c.changed[change] = t
		c.add(true, point, "", "what was saved is of the old type")
	}
	if t.values++; t.last != point {
		t.last = point
		t.points++
	}
}

func (c *comparison) add(fatal bool, point, what, why string) {
	c.found = append(c.found, Difference{Point: point, What: what, Why: why, Fatal: fatal})
}

func (c *comparison) addValue(fatal bool, point, cause, why string) {
	c.found = append(c.found, Difference{Point: point, What: cause + " at " + point, Why: why, Fatal: fatal, Cause: cause})
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
			c.addValue(true, now.Name, v.Name+" is needed", "it was not saved there before")
			continue
		}
		if change := c.difference(old.Values[i].Type, v.Type); change != "" {
			c.addType(v.Name, now.Name, change)
		}
	}
	for _, v := range old.Values {
		if !slices.ContainsFunc(now.Values, func(is Value) bool { return is.Name == v.Name }) {
			c.addValue(false, now.Name, v.Name+" is no longer needed", "what was saved of it is dropped when an instance continues there")
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
	if !grows(old, now) {
		return fmt.Sprintf("it was %s and is %s", orNothing(old), orNothing(now))
	}
	for _, name := range c.now.typesIn(now) {
		is, _ := c.now.define(name)
		was, known := c.old.define(name)
		if known && !sameType(was, is) {
			return describeChange(name, was, is)
		}
	}
	return ""
}

// describeChange says how the definition of a type has changed. Of structs it names the fields.
func describeChange(name, was, is string) string {
	old, ok := fields(was)
	now, also := fields(is)
	if !ok || !also {
		return fmt.Sprintf("%s was %s and is %s", name, was, is)
	}
	var list []string
	for _, f := range old {
		i := slices.IndexFunc(now, func(g field) bool { return g.name == f.name })
		switch {
		case i < 0:
			list = append(list, fmt.Sprintf("its field %s %s is gone", f.name, f.typ))
		case !grows(f.typ, now[i].typ):
			list = append(list, fmt.Sprintf("its field %s was %s and is %s", f.name, f.typ, now[i].typ))
		}
	}
	for _, f := range now {
		if !slices.ContainsFunc(old, func(g field) bool { return g.name == f.name }) {
			list = append(list, fmt.Sprintf("it has gained %s %s", f.name, f.typ))
		}
	}
	return name + ": " + strings.Join(list, ", ")
}

func orNothing(t string) string {
	if t == "" {
		return "nothing"
	}
	return t
}

// sameType compares the old and the new definition of a name. A struct may have gained fields,
// which are zero where they were not saved. A basic type may have new constants; the old constants
// must have kept their values.
func sameType(was, is string) bool {
	if grows(was, is) {
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

// grows reports whether a type is the old one, or the old one with more fields in its structs.
func grows(was, is string) bool {
	if was == is {
		return true
	}
	old, ok := fields(was)
	now, also := fields(is)
	if ok != also {
		return false
	}
	if !ok {
		was, is, ok = element(was, is)
		return ok && grows(was, is)
	}
	for _, f := range old {
		if !slices.ContainsFunc(now, func(g field) bool { return g.name == f.name && grows(f.typ, g.typ) }) {
			return false
		}
	}
	return true
}

// element strips the same beginning (pointer, slice, array or map) from two types.
func element(was, is string) (old, now string, ok bool) {
	for _, end := range []string{"*", "]"} {
		a, old, _ := strings.Cut(was, end)
		b, now, found := strings.Cut(is, end)
		if found && a == b && !strings.Contains(a, "struct{") && old != "" && now != "" {
			return old, now, true
		}
	}
	return "", "", false
}

// field is a field of a struct.
type field struct{ name, typ string }

// fields returns the fields of a type that is written as a struct.
func fields(text string) (list []field, ok bool) {
	text, ok = strings.CutPrefix(text, "struct{")
	if !ok || !strings.HasSuffix(text, "}") {
		return nil, false
	}
	depth, from := 0, 0
	text = text[:len(text)-1]
	end := func(to int) {
		if name, typ, ok := strings.Cut(strings.TrimSpace(text[from:to]), " "); ok {
			list = append(list, field{name, typ})
		}
		from = to + 1
	}
	for i, c := range []byte(text) {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ';':
			if depth == 0 {
				end(i)
			}
		}
		if depth < 0 {
			return nil, false // struct{…}{…}: not one struct
		}
	}
	end(len(text))
	return list, true
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
