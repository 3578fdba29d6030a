package job

import (
	"fmt"
	"strings"
)

// String returns the job as one line of a log: its name or, without one, its number; its
// status; and where it was made, if that is recorded ([RecordCreation]). It does not
// block.
func (j *Job[T]) String() string {
	if j == nil {
		return "job <nil>"
	}
	return j.describe()
}

func (c *core) describe() string {
	text := "job " + c.shortLabel() + ", " + c.status().String()
	if f := c.frame("job"); f.Function != "" {
		text += fmt.Sprintf(", made in %s (%s:%d)", lastPart(f.Function), lastPart(f.File), f.Line)
	}
	return text
}

// shortLabel is label for a line: names are the user's, and may be long.
func (c *core) shortLabel() string {
	const enough = 200
	r := c.extras()
	if len(r.name) <= enough {
		return c.label()
	}
	return fmt.Sprintf("%q…", strings.ToValidUTF8(r.name[:enough], ""))
}

// lastPart returns what follows the last slash.
func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
