package forms

import (
	_ "embed"
	"strings"
)

// statements are the forms of statements. They log what they do. In the file, an empty line
// separates two forms, and a line that begins with # describes those below it. The indentation is
// for readers.
var statements = parseForms(statementsText)

//go:embed statements.txt
var statementsText string

func parseForms(text string) []string {
	var forms []string
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(block, "#") {
			continue
		}
		var lines []string
		for line := range strings.Lines(strings.TrimSuffix(block, "\n")) {
			lines = append(lines, strings.TrimLeft(line, "\t"))
		}
		forms = append(forms, strings.Join(lines, ""))
	}
	return forms
}
