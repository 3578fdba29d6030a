package policy

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// commentWidth is the first column that a comment must not reach. A tab counts as four columns.
const commentWidth = 100

// widths checks that comments end before column 100. A directive may be longer,
// since it has to be on one line, and so may the output that an example compares.
func widths(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		if f.Generated {
			continue
		}
		for line, text := range f.commentLines() {
			wide := utf8.RuneCountInString(strings.ReplaceAll(text, "\t", "    "))
			if wide < commentWidth || directive.MatchString(text) {
				continue
			}
			found = append(found, Finding{
				Path: f.Path,
				Line: line,
				What: fmt.Sprintf("a comment that reaches column %d", wide),
				Mend: fmt.Sprintf("break it before column %d; one behind code moves to a line above", commentWidth),
			})
		}
	}
	return found
}

// directive is a comment that a tool reads.
var directive = regexp.MustCompile(`//(?:nolint|go:|line |movenext:|export )`)

// output is the head of the output that an example compares.
var output = regexp.MustCompile(`(?i)^\s*(?:unordered )?output:`)

// commentLines returns the lines with comments, whole, except for the outputs of
// examples.
func (f *GoFile) commentLines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		lines := bytes.Split(f.text, []byte("\n"))
		for _, group := range f.Syntax.Comments {
			if f.Test && output.MatchString(group.Text()) {
				continue
			}
			for line := f.Line(group.Pos()); line <= f.Line(group.End()); line++ {
				if !yield(line, string(lines[line-1])) {
					return
				}
			}
		}
	}
}
