package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// # The list
//
// A section is a file, with the commands that should kill its mutations; an entry below it
// is one mutation:
//
//	[continuation/list.go]
//	kill ./continuation -tags=interleave -run=Interleav
//	kill ./continuation
//
//	list-add-order List.Add: the link is written before the node can be reached
//	- old text, found exactly once in the function List.Add
//	+ new text
//	kill ./job -run=TestThis
//	= why no test can tell the difference (the entry is equivalent, and not run)
//
// The name of the function may be missing: the old text is then found once in the whole
// file. It is the text after "- ", lines joined, and need not begin or end with a line.
// Without a line "+ " the old text is deleted. An entry's own commands come before those of
// its section. Lines that begin with "#" are comments.

// mutation is an entry of the list.
type mutation struct {
	name       string
	file       string // with slashes, from the module's root
	function   string // "F" or "T.F"; "" is the whole file
	invariant  string // what must hold, and no longer does
	old, new   string
	commands   []command // tried in this order until one fails
	equivalent string    // why no test can kill it; "" if one can
	line       int       // in the list
}

// tags returns the build tags that all commands of m have, which its file may need; "" if they
// differ.
func (m *mutation) tags() string {
	tags := map[string]bool{}
	for _, c := range m.commands {
		_, after, _ := strings.Cut(string(c)+" ", "-tags=")
		tag, _, _ := strings.Cut(after, " ")
		tags[tag] = true
	}
	if len(tags) == 1 {
		for tag := range tags {
			return tag
		}
	}
	return ""
}

// command is what follows "go test" and the flags that are always the same.
type command string

var (
	section = regexp.MustCompile(`^\[(\S+)\]$`)
	heading = regexp.MustCompile(`^([a-z0-9-]+)(?: ([\w.]+))?: (.+)$`)
)

// readList reads and parses the list with this name.
func readList(name string) ([]mutation, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	list, err := parseList(string(text))
	if err != nil {
		return nil, fmt.Errorf("mutate: %s:%w", name, err)
	}
	return list, nil
}

// reader is the state of parseList between two lines.
type reader struct {
	list     []mutation
	file     string
	commands []command // of the section
	entry    *mutation // nil between entries
	replaced bool      // a line "+ " was read
}

// parseList parses the text of a list. Its error begins with the line's number.
func parseList(text string) ([]mutation, error) {
	var r reader
	number := 0
	for line := range strings.Lines(text) {
		number++
		if err := r.read(strings.TrimSuffix(line, "\n"), number); err != nil {
			return nil, fmt.Errorf("%d: %w", number, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("%d: %w", number, err)
	}
	return r.list, nil
}

func (r *reader) read(line string, number int) error {
	before, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "":
		return r.end()
	case strings.HasPrefix(line, "#"):
		return nil
	case r.entry != nil:
		return r.readEntry(before, rest)
	case section.MatchString(line):
		r.file, r.commands = section.FindStringSubmatch(line)[1], nil
		return nil
	case before == "kill" && rest != "":
		r.commands = append(r.commands, command(rest))
		return nil
	}
	parts := heading.FindStringSubmatch(line)
	if parts == nil || r.file == "" {
		return errors.New("neither a section nor the first line of an entry")
	}
	for _, m := range r.list {
		if m.name == parts[1] {
			return fmt.Errorf("the name %s is taken by line %d", m.name, m.line)
		}
	}
	r.entry = &mutation{name: parts[1], file: r.file, function: parts[2], invariant: parts[3], line: number}
	r.replaced = false
	return nil
}

// readEntry reads a line of an entry after its first.
func (r *reader) readEntry(mark, rest string) error {
	m := r.entry
	switch {
	case mark == "-" && !r.replaced:
		m.old = joinLine(m.old, rest, m.old == "")
	case mark == "+":
		m.new = joinLine(m.new, rest, !r.replaced)
		r.replaced = true
	case mark == "kill" && rest != "":
		m.commands = append(m.commands, command(rest))
	case mark == "=" && rest != "":
		m.equivalent = strings.TrimSpace(m.equivalent + " " + rest)
	default:
		return fmt.Errorf("in an entry, a line begins with -, +, kill or =, not with %q", mark)
	}
	return nil
}

func joinLine(text, line string, first bool) string {
	if first {
		return line
	}
	return text + "\n" + line
}

// end ends an entry, if there is one.
func (r *reader) end() error {
	m := r.entry
	if m == nil {
		return nil
	}
	r.entry = nil
	m.commands = append(m.commands, r.commands...)
	switch {
	case m.old == "":
		return fmt.Errorf("%s has no old text", m.name)
	case m.old == m.new:
		return fmt.Errorf("%s changes nothing", m.name)
	case m.equivalent == "" && len(m.commands) == 0:
		return fmt.Errorf("%s has no command that could kill it", m.name)
	}
	r.list = append(r.list, *m)
	return nil
}

// digest changes whenever a verdict on m may no longer hold because m is another.
func (m *mutation) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q", m.file, m.function, m.old, m.new, m.equivalent))
	return hex.EncodeToString(sum[:4])
}
