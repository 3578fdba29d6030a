package policy

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// nothing matches words that say nothing about the contents. The pattern matches
// endings, since "testutil" is such a word too.
var nothing = regexp.MustCompile(`(?i)^(.*utils?|.*helpers?|commons?|misc|miscellaneous|shared|stuff)$`)

const nameMend = "name it after the idea that it holds; if there are several, give each a file or a package, or put it beside the code that it serves"

// names checks folders, packages and files.
func names(t *Tree) []Finding {
	var found []Finding
	order, byFolder := folders(t.Go)
	reported := map[string]bool{}
	for _, dir := range order {
		for at := dir; at != "."; at = path.Dir(at) {
			if word := emptyWord(path.Base(at)); word != "" && !reported[at] {
				reported[at] = true
				found = append(found, Finding{Path: at, What: fmt.Sprintf("a folder named %q", word), Mend: nameMend})
			}
		}
		for _, f := range byFolder[dir] {
			stem := strings.TrimSuffix(path.Base(f.Path), ".go")
			if word := emptyWord(stem); word != "" {
				found = append(found, Finding{Path: f.Path, What: fmt.Sprintf("a file named %q", word), Mend: nameMend})
			}
			if word := emptyWord(f.Syntax.Name.Name); word != "" {
				found = append(found, Finding{Path: f.Path, Line: f.Line(f.Syntax.Name.Pos()), Name: word, What: fmt.Sprintf("a package named %q", word), Mend: nameMend})
			}
		}
	}
	return found
}

// emptyWord returns the part of a name that has no meaning, or "".
func emptyWord(name string) string {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if nothing.MatchString(word) {
			return word
		}
	}
	return ""
}
