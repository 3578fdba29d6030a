package annotated

import (
	"regexp"

	"github.com/movenext/movenext/codegen"
)

// particular matches the parts that differ between messages of one kind.
var particular = regexp.MustCompile(`\b(receiver|assigns|name|that|of|cannot call) [\w.]+|\d+`)

// place is the position of a second place.
var place = regexp.MustCompile(` at \S+:\d+`)

// first is a name at the beginning of a message.
var first = regexp.MustCompile(`^[\w.]+ `)

// held is a verb phrase after the first word of a message.
var held = regexp.MustCompile(`^\w+ ((?:holds|is) an )`)

// Reason returns the text of a finding without the names in it, so that reasons can be counted.
func Reason(d codegen.Diagnostic) string {
	if d.Category == "internal" {
		return "defects of the generator"
	}
	if d.Category == "unsupported" {
		return held.ReplaceAllString(d.What, "… $1")
	}
	if d.Category == "annotation" && d.Why != "" {
		d.What += ": " + d.Why
	}
	return particular.ReplaceAllString(first.ReplaceAllString(place.ReplaceAllString(d.What, ""), "… "), "$1 …")
}
