package codegen

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
)

// spot is a line of a file as a stack shows it.
type spot struct {
	file string
	line int
}

// directed is a formatted file with the directives that it needs, for places in source,
// and for lines of its own, which have the name own. Redundant directives, which say
// what the compiler counts by itself, are removed.
func directed(data []byte, source, own string) []byte {
	var b bytes.Buffer
	counted := spot{own, 1} // what the compiler takes the next line for
	next := 1               // its number in the file
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n, text := range lines {
		to, ok := directiveIn(text)
		if !ok {
			b.Write(text)
			counted.line++
			next++
			continue
		}
		if n+1 < len(lines) {
			if _, again := directiveIn(lines[n+1]); again {
				continue
			}
		}
		switch {
		case to > 0:
			if counted == (spot{source, to}) {
				continue
			}
			counted = spot{source, to}
		case counted.file == own:
			continue
		default:
			counted = spot{own, next + 1}
		}
		fmt.Fprintf(&b, "//line %s:%d\n", counted.file, counted.line)
		next++
	}
	return b.Bytes()
}

// directiveIn reports whether a line is a directive, and to which line of the source it
// leads: 0 for the generated file.
func directiveIn(text []byte) (line int, ok bool) {
	text = bytes.TrimSpace(text)
	if bytes.Equal(text, []byte(elsewhere)) {
		return 0, true
	}
	number, ok := bytes.CutPrefix(text, []byte(inSource))
	if !ok {
		return 0, false
	}
	line, err := strconv.Atoi(string(number))
	return line, err == nil
}

// inStacks is the name of a file of pkg in stacks of machines of a form.
func inStacks(pkg *source.Package, file string, mode Mode) string {
	if mode == Debug {
		return filepath.ToSlash(file)
	}
	return pkg.InStacks(file)
}
