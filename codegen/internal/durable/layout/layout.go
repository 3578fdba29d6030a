package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Layout describes the contents of the checkpoints of one version of a function, and its order.
type Layout struct {
	Points []Point // in the order of the source; the first is the beginning
	Undos  []Undo
	Types  []Type // the named types used in values, by name
}

// Point is a point of a function.
type Point struct {
	Name   string
	Kind   Kind
	Callee string // of a step: its full name
	Gives  string // the types of what a step returns, or of a signal
	Values []Value
	Next   []string // the points that can follow
}

// Kind is what a point waits for.
type Kind string

// The kinds of points.
const (
	Begin   Kind = "begin"
	Step    Kind = "step"
	Receive Kind = "receive"
	Sleep   Kind = "sleep"
	Return  Kind = "return"
)

// Value is a value saved at a point. The name of a variable declared in a nested statement ends
// in the kinds of the statements around it, as err@if.block.
type Value struct{ Name, Type string }

// Undo is a deferred compensation: a step and the types of its arguments.
type Undo struct {
	Step   string // as checkpoints name it
	Callee string // its full name
	Types  []string
}

// Type is a named type and its definition, which mentions other types by name.
type Type struct{ Name, Is string }

// text returns the hashed text, in lines without an indent.
func (l *Layout) text() []string {
	var list []string
	line := func(words ...string) { list = append(list, strings.TrimRight(strings.Join(words, " "), " ")) }
	for _, p := range l.Points {
		line("point", p.Name, string(p.Kind), p.Callee)
		if p.Gives != "" {
			line("gives", p.Gives)
		}
		for _, v := range p.Values {
			line("value", v.Name, v.Type)
		}
		if len(p.Next) > 0 {
			line("next", strings.Join(p.Next, " "))
		}
	}
	for _, u := range l.Undos {
		line("undo", u.Step, u.Callee)
		for _, t := range u.Types {
			line("argument", t)
		}
	}
	for _, t := range l.Types {
		line("type", t.Name, "=", t.Is)
	}
	return list
}

// Hash identifies a layout. Two versions of a function with the same hash can load each other's
// checkpoints, and continue in the same order.
func (l *Layout) Hash() string {
	sum := sha256.Sum256([]byte(strings.Join(l.text(), "\n")))
	return hex.EncodeToString(sum[:8])
}

// Point returns the point with a name, or nil.
func (l *Layout) Point(name string) *Point {
	for i := range l.Points {
		if l.Points[i].Name == name {
			return &l.Points[i]
		}
	}
	return nil
}

// define returns the definition of a type.
func (l *Layout) define(name string) (definition string, ok bool) {
	i := slices.IndexFunc(l.Types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return "", false
	}
	return l.Types[i].Is, true
}

// typesIn returns the named types that occur in a type, directly or indirectly, in order.
func (l *Layout) typesIn(text string) []string {
	var list []string
	seen := map[string]bool{}
	var visit func(text string)
	visit = func(text string) {
		for _, t := range l.Types {
			if !seen[t.Name] && mentions(text, t.Name) {
				seen[t.Name] = true
				list = append(list, t.Name)
				visit(t.Is)
			}
		}
	}
	visit(text)
	return list
}

// mentions reports whether a text contains a name as a whole word.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !isNamed(text[from-1])) && (to == len(text) || !isNamed(text[to])) {
			return true
		}
		at = from + 1
	}
}

// isNamed reports whether a byte may be part of a name with its path.
func isNamed(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_./-~+@", c) >= 0
}

// String returns the layout as written in the file.
func (l *Layout) String() string {
	return fmt.Sprintf("layout %s\n%s", l.Hash(), strings.Join(l.text(), "\n"))
}
