package policy

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
)

// word is a pattern that committed text must not contain.
type word struct {
	pattern *regexp.Regexp
	what    string
	mend    string
}

// forbidden are the words: what a linter of Go files cannot see in all others. The patterns are
// written so that they do not match themselves: this file needs no exception.
var forbidden = []word{
	{
		pattern: regexp.MustCompile(`(?:^|[\s"'\x60(=:,])(?:/(?:home|root|Users|work|workspace|mnt|tmp|private)/[\w.-]+|[A-Z]:\\+Users\b)`),
		what:    "a path of one machine",
		mend:    "use a path relative to the repository, or a test's own t.TempDir",
	},
	{
		pattern: regexp.MustCompile(`\b(?:proxy|sum|index)\.golang\.org|\bregistry\.npmjs\.org|\bpypi\.org|\bcrates\.io|\bdeb\.debian\.org|\bGOPROXY=`),
		what:    "the host of a registry",
		mend:    "leave it to the user's own settings: name the module and the version",
	},
	{
		pattern: regexp.MustCompile(`(?i)\b(?:issue|ticket)\s+#?\d+\b`),
		what:    "a number that says nothing without the tracker",
		mend:    "write the reason itself; for a bug of Go, write golang/go#N next to it",
	},
}

// silent are files with text that is not ours.
var silent = map[string]bool{"go.sum": true}

// words checks the text of all files, including those in testdata.
func words(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if silent[path.Base(f.Path)] || bytes.IndexByte(f.Text, 0) >= 0 {
			continue
		}
		for i, line := range bytes.Split(f.Text, []byte("\n")) {
			for _, w := range forbidden {
				if hit := w.pattern.Find(line); hit != nil {
					hit = bytes.TrimSpace(hit)
					found = append(found, Finding{f.Path, i + 1, string(hit), fmt.Sprintf("%s (%s)", w.what, hit), w.mend})
				}
			}
		}
	}
	return found
}
