package policy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// pronouns stand for a role that has a name.
	pronouns = regexp.MustCompile(`(?i)\b(who[e]ver|no[b]ody|some[b]ody|any[b]ody|every[b]ody|some[o]ne|no [o]ne)\b`)

	// headless matches a relative clause without the noun that it refers to. In "the
	// caller who" it has one.
	headless = regexp.MustCompile(`(?i)(?:^\s*|\n\s*\n\s*|[.;:,(?—]\s*|\b(?:` +
		`and|or|but|to|for|of|by|than|as|if|with|from|in|at|on|is|are|not|also|` +
		`knows?|says?|sees?|that|shows?|tells?|means?|decides?)\s+)(wh[o])\b`)

	// unnamedRole matches such a word in the name of a function, above all of a test.
	unnamedRole = regexp.MustCompile(`(?:^|[a-z])(Wh[o](?:ever)?|No[b]ody|Some[b]ody|Any[b]ody|Every[b]ody)(?:[A-Z]|$)`)

	// excerpt matches text that is not prose: code, names, messages.
	excerpt = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\"[^\"\n]*\"")
)

// suspects occur in every text in which the patterns, which are slow, could find
// anything.
var suspects = []string{"who", "Who", "body", "meone", "o one"}

// subjects checks that the clauses of comments and pages have nouns as subjects, and that
// the names of functions do.
func subjects(t *Tree) []Finding {
	found := roles(t)
	note := func(path string, above int, text string) {
		for _, h := range faceless(text) {
			found = append(found, Finding{
				Path: path,
				Line: above + h.line,
				Name: h.word,
				What: fmt.Sprintf("a clause whose subject is %q", h.word),
				Mend: "name the subject: the worker, the waiter, the caller, another goroutine",
			})
		}
	}
	for _, f := range t.Go {
		if f.Generated {
			continue
		}
		for _, group := range f.Syntax.Comments {
			if !f.Test || !output.MatchString(group.Text()) {
				note(f.Path, f.Line(group.Pos()), textOf(group))
			}
		}
	}
	for _, f := range t.Files {
		if path.Ext(f.Path) == ".md" && !outsideBuild(f.Path) {
			note(f.Path, 1, string(f.Text))
		}
	}
	return found
}

// roles checks the names of functions.
func roles(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || f.Generated {
				continue
			}
			if word := unnamedRole.FindStringSubmatch(fn.Name.Name); word != nil {
				found = append(found, Finding{
					Path: f.Path, Line: f.Line(fn.Pos()), Name: fn.Name.Name,
					What: fmt.Sprintf("%s says %q for a role that has a name", fn.Name.Name, strings.ToLower(word[1])),
					Mend: "name the role: Worker, Waiter, Caller",
				})
			}
		}
	}
	return found
}

// textOf returns the lines of a group without the comment marks.
func textOf(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, c := range group.List {
		text.WriteString(c.Text[2:] + "\n")
	}
	return text.String()
}

// hit is a word in a text, and the number of lines above it.
type hit struct {
	line int
	word string
}

// faceless returns the words that are used as subjects. A clause may begin on the
// line above its subject.
func faceless(text string) []hit {
	if !slices.ContainsFunc(suspects, func(s string) bool { return strings.Contains(text, s) }) {
		return nil
	}
	text = excerpt.ReplaceAllStringFunc(text, func(s string) string {
		return "x" + strings.Repeat("\n", strings.Count(s, "\n"))
	})
	var hits []hit
	for _, pattern := range []*regexp.Regexp{pronouns, headless} {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			hits = append(hits, hit{strings.Count(text[:at[2]], "\n"), strings.ToLower(text[at[2]:at[3]])})
		}
	}
	return hits
}
