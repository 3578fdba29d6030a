// Package truncate shortens texts for reports: names are chosen by users, or by their clients.
// So they may be long, need not be valid UTF-8, and may contain what a terminal or a log obeys:
// escape sequences, line breaks, marks that reverse the direction of the text behind them.
package truncate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name returns a name for one line of a report: a [Text] of at most 200 bytes.
func Name(s string) string { return Text(s, 200) }

// Text returns s with U+FFFD for each byte that is not UTF-8, and for each character that is not
// printed: controls, line breaks, marks of direction and width. A result of more than most
// bytes is cut between two characters, and ends with an ellipsis, which is not counted.
func Text(s string, most int) string {
	if len(s) <= most && isPrinted(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if !unicode.IsPrint(c) {
			c = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(c) > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Indented returns s, the text of a panic, with U+FFFD where [Text] has it but for line breaks: a
// tab follows each, as Go's runtime prints the text of a panic. So no line of s begins like one of
// the log.
func Indented(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Text(line, len(line)*utf8.UTFMax)
	}
	return strings.Join(lines, "\n\t")
}

func isPrinted(s string) bool {
	for _, c := range s {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return false
		}
	}
	return true
}
