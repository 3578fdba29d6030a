package main

import (
	"io"
	"strings"
	"unicode"
)

// printed is a writer for people. Names of files, directives and source lines may contain what a
// terminal or a log obeys: it gets U+FFFD for each character that is not printed, but for line
// breaks and tabs. Each Write has whole characters, as those of package fmt have.
type printed struct{ w io.Writer }

// Write implements io.Writer.
func (p printed) Write(b []byte) (int, error) {
	_, err := io.WriteString(p.w, strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, string(b)))
	return len(b), err
}
