package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The words are written with a bar inside, which the test removes: the rule applies to
// this file too.
func TestWords(t *testing.T) {
	got := finds(t, "words", strings.ReplaceAll(`
-- a.go --
package a // TO|DO: later
// FIX|ME
var _ = context.TO|DO()
// mktemp file.XXXXXX stays, and so does a TODOS
-- b.md --
Run it in /home|/ann/src, or "/tmp|/x".
C:\Us|ers\ann too.
A path like ./work/x, http://example.com/home/x or a/tmp/b stays.
-- c.sh --
GOPROXY|=off go test
curl pro|xy.golang.org
-- e.go --
package e // a zero is n|o limit
// There is no limit, and it is no longer needed.
// is no line of its own, since the subject is above
// It counts all work|s of a queue, and it works.
-- testdata/d.txtar --
see issue| #12, and reissue 12 copies
-- go.sum --
h1:XX|X
`, "|", ""))
	assert.Equal(t, []string{
		"a.go:1: unfinished business (TO" + "DO)",
		"a.go:2: unfinished business (FIX" + "ME)",
		"a.go:3: unfinished business (TO" + "DO)",
		"b.md:1: a path of one machine (/home" + "/ann)",
		`b.md:2: a path of one machine (C:\Us` + `ers)`,
		"c.sh:1: the host of a registry (GOPROXY" + "=)",
		"c.sh:2: the host of a registry (pro" + "xy.golang.org)",
		"e.go:1: a noun denied by no (zero is n" + "o limit)",
		"e.go:4: work in the plural (// It counts all work" + "s)",
		"testdata/d.txtar:1: a number that says nothing without the tracker (issue" + " #12)",
	}, got)
}

func TestWordsLeaveBinaryFilesAlone(t *testing.T) {
	assert.Empty(t, finds(t, "words", "-- picture.png --\n\x00 FIX"+"ME\n"))
}
