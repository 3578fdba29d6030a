package policy

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// private are words for which the field has established terms. Words that are also plain
// English in some sentences are not listed.
var private = map[string]string{
	"bearer":  "delivery, message",
	"bearers": "delivery, message",
	"books":   "tally, counters, metrics",
	"brisk":   "fast, short",
	"crew":    "group",
	"crews":   "groups",
	"ebb":     "shrink",
	"fleet":   "list, clients",
	"lone":    "single, only",
	"lones":   "single, only",
	"outlet":  "output, channel",
	"vessel":  "candidate",
	"vessels": "candidates",
}

// vague are words that are clear in moderation, but say nothing if they are everywhere.
// most is their maximum number per thousand comment lines of a package.
var vague = []struct {
	word    *regexp.Regexp
	most    int
	instead string
}{
	{regexp.MustCompile(`(?im)(?:^|[^n\s] |[^i]n )(places?)\b`), 30, "slot, position, call, line, file: the kind of place"},
	{regexp.MustCompile(`(?i)\b(settle[sd]?|settling)\b`), 20, "complete, decide, dispatch"},
}

// fewLines is the number of comment lines below which a density is meaningless.
const fewLines = 200

// terms checks that names and comments use the established terms.
func terms(t *Tree) []Finding {
	var found []Finding
	order, byFolder := folders(t.Go)
	for _, dir := range order {
		var text strings.Builder
		for _, f := range byFolder[dir] {
			if !f.Generated {
				found = append(found, f.privateWords()...)
				for _, group := range f.Syntax.Comments {
					text.WriteString(textOf(group))
				}
			}
		}
		lines := strings.Count(text.String(), "\n")
		for _, v := range vague {
			if n := len(v.word.FindAllString(text.String(), -1)); lines >= fewLines && 1000*n > v.most*lines {
				word := strings.ToLower(v.word.FindStringSubmatch(text.String())[1])
				found = append(found, Finding{
					Path: dir,
					Name: word,
					What: fmt.Sprintf("%q and its forms occur %d times in %d comment lines, where %d in 1000 are the most", word, n, lines, v.most),
					Mend: "say " + v.instead,
				})
			}
		}
	}
	return found
}

// parts matches the words of a name in camel case, and of a text.
var parts = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

func (f *GoFile) privateWords() []Finding {
	var found []Finding
	look := func(text string, line int) {
		for _, part := range parts.FindAllString(text, -1) {
			if term := private[strings.ToLower(part)]; term != "" {
				found = append(found, Finding{
					Path: f.Path,
					Line: line,
					Name: strings.ToLower(part),
					What: fmt.Sprintf("a word of our own, %q", strings.ToLower(part)),
					Mend: "use the term of the field, which may be: " + term,
				})
			}
		}
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			look(name.Name, f.Line(name.Pos()))
		}
		return true
	})
	for _, group := range f.Syntax.Comments {
		for _, c := range group.List {
			look(c.Text, f.Line(c.Pos()))
		}
	}
	return found
}
