package source

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CommentWidth is the first column that comments in generated files do not reach.
const CommentWidth = 100

// Comment returns a text as a comment for a generated file, in lines of limited width.
func Comment(format string, args ...any) string {
	var b strings.Builder
	line := "//"
	for word := range strings.FieldsSeq(fmt.Sprintf(format, args...)) {
		if line != "//" && utf8.RuneCountInString(line+" "+word) >= CommentWidth {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}
