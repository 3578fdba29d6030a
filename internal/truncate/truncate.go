// Package truncate shortens texts for reports: names are chosen by users, so they may be long,
// and need not be valid UTF-8.
package truncate

import (
	"strings"
	"unicode/utf8"
)

// Name returns a name for one line of a report: a [Text] of at most 200 bytes.
func Name(s string) string { return Text(s, 200) }

// Text returns s with U+FFFD for each byte that is not UTF-8. A result of more than most
// bytes is cut between two characters, and ends with an ellipsis, which is not counted.
func Text(s string, most int) string {
	if len(s) <= most && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if b.Len()+utf8.RuneLen(c) > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(c)
	}
	return b.String()
}
