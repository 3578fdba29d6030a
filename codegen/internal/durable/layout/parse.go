package layout

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Error says where a file is damaged, and what to do.
type Error struct {
	Line          int // 0: the file as a whole
	What, Why, Do string
}

// Error says what is damaged, in a line.
func (e *Error) Error() string { return fmt.Sprintf("layout: line %d: %s", e.Line, e.What) }

// Parse reads a file. Duplicate sections of one function and duplicate blocks of one layout, as a
// merge may leave them, count once. The error is an *Error.
func Parse(data []byte) (*File, error) {
	p := &parser{file: &File{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &Error{What: "this file is empty", Why: what, Do: restore}
	}
	for line := range bytes.Lines(data) {
		p.number++
		text := string(bytes.TrimSpace(line))
		if text == "" || text[0] == '#' {
			continue
		}
		if err := p.line(text); err != nil {
			if !p.ended && !bytes.HasSuffix(line, []byte("\n")) {
				return nil, p.cut()
			}
			return nil, err
		}
	}
	if !p.ended {
		return nil, p.cut()
	}
	return p.file, nil
}

// cut returns the error for a file whose end is missing, perhaps in the middle of a line.
func (p *parser) cut() error {
	return &Error{Line: p.number, What: "this file ends in the middle", Why: what, Do: restore}
}

const (
	what    = "it has the layouts that instances in flight were saved with"
	restore = "restore it from version control, and generate again"
)

// parser reads the file line by line.
type parser struct {
	file   *File
	number int // of the line
	ended  bool
	fn     *Function
	layout *Layout // nil: no block is open
	hash   string  // of the open block, as written in the file
	begun  int     // the line where the block begins
}

func (p *parser) line(text string) error {
	switch {
	case strings.HasPrefix(text, "<<<<<<<"), strings.HasPrefix(text, "======="), strings.HasPrefix(text, ">>>>>>>"), strings.HasPrefix(text, "|||||||"):
		return &Error{
			Line: p.number, What: "this file has the marks of a merge conflict", Why: "instances in flight may have the layouts of either side",
			Do: "keep the blocks of both sides, remove the marks, and generate again",
		}
	case p.ended:
		return p.unknown(text)
	}
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "function", "layout", "imports", "end":
		if err := p.close(); err != nil {
			return err
		}
	}
	switch {
	case word == "end" && rest == "":
		p.ended = true
	case word == "function" && isWord(rest):
		p.fn = p.file.Add(rest)
		if p.fn.Line == 0 {
			p.fn.Line = p.number
		}
	case word == "imports" && len(strings.Fields(rest)) == 3:
		words := strings.Fields(rest)
		p.file.Imports = append(p.file.Imports, Import{Name: words[0], From: words[1], Layout: words[2], Line: p.number})
		p.fn = nil
	case p.fn == nil:
		return p.unknown(text)
	case word == "layout" && isWord(rest):
		p.layout, p.hash, p.begun = &Layout{}, rest, p.number
	case p.layout != nil && p.ofLayout(word, rest):
	case p.layout == nil && p.ofFunction(word, rest):
	default:
		return p.unknown(text)
	}
	return nil
}

func isWord(s string) bool { return s != "" && !strings.ContainsAny(s, " \t") }

func (p *parser) unknown(text string) error {
	return &Error{Line: p.number, What: fmt.Sprintf("this file has a line that means nothing here: %.60q", text), Why: what, Do: restore}
}

// close ends a block. Its lines must match its hash.
func (p *parser) close() error {
	l := p.layout
	if l == nil {
		return nil
	}
	p.layout = nil
	if l.Hash() != p.hash || len(l.Points) == 0 {
		return &Error{
			Line: p.begun, What: fmt.Sprintf("the block of layout %s was edited", p.hash), Why: "it has to say what instances in flight were saved with",
			Do: "restore it from version control; or remove the whole block, if no instance has this layout any more",
		}
	}
	if p.fn.Layout(p.hash) == nil {
		p.fn.Layouts = append(p.fn.Layouts, l)
	}
	return nil
}

// ofFunction parses a line about a function, and reports whether it is one.
func (p *parser) ofFunction(word, rest string) bool {
	add := func(list *[]string) bool {
		if isWord(rest) && !slices.Contains(*list, rest) {
			*list = append(*list, rest)
		}
		return isWord(rest)
	}
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "gone":
		p.fn.Gone = true
		return rest == ""
	case "source":
		return add(&p.fn.Sources)
	case "removed":
		return add(&p.fn.Removed)
	case "stranded":
		return add(&p.fn.Stranded)
	case "accepted":
		p.fn.Accepted = append(p.fn.Accepted, Accepted{first, second})
		return isWord(first) && second != ""
	case "migrated":
		p.fn.Migrated = append(p.fn.Migrated, Migrated{first, second})
		return isWord(first) && isWord(second)
	}
	return false
}

// ofLayout parses a line of a block, and reports whether it is one.
func (p *parser) ofLayout(word, rest string) bool {
	l := p.layout
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "point":
		kind, callee, _ := strings.Cut(second, " ")
		l.Points = append(l.Points, Point{Name: first, Kind: Kind(kind), Callee: callee})
		return first != ""
	case "undo":
		l.Undos = append(l.Undos, Undo{Step: first, Callee: second})
		return first != ""
	case "type":
		is, ok := strings.CutPrefix(second, "= ")
		if !ok { // an instance of a generic type has spaces in its name
			first, is, ok = strings.Cut(rest, " = ")
		}
		l.Types = append(l.Types, Type{first, is})
		return ok
	case "argument":
		if len(l.Undos) == 0 {
			return false
		}
		u := &l.Undos[len(l.Undos)-1]
		u.Types = append(u.Types, rest)
		return true
	}
	if len(l.Points) == 0 {
		return false
	}
	at := &l.Points[len(l.Points)-1]
	switch word {
	case "gives":
		at.Gives = rest
	case "value":
		at.Values = append(at.Values, Value{first, second})
	case "next":
		at.Next = strings.Fields(rest)
	default:
		return false
	}
	return true
}
