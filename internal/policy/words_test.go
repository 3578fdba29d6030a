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
-- b.md --
Run it in /home|/ann/src, or "/tmp|/x".
C:\Us|ers\ann too.
A path like ./wo|rk/x, http://example.com/ho|me/x or a/tm|p/b stays.
-- c.sh --
GOPROXY|=off go test
curl pro|xy.golang.org
-- testdata/d.txtar --
see issue| #12, and reissue 12 copies
-- go.sum --
/tm|p/x
`, "|", ""))
	assert.Equal(t, []string{
		"b.md:1: a path of one machine (/home" + "/ann)",
		`b.md:2: a path of one machine (C:\Us` + `ers)`,
		"c.sh:1: the host of a registry (GOPROXY" + "=)",
		"c.sh:2: the host of a registry (pro" + "xy.golang.org)",
		"testdata/d.txtar:1: a number that says nothing without the tracker (issue" + " #12)",
	}, got)
}

func TestWordsLeaveBinaryFilesAlone(t *testing.T) {
	assert.Empty(t, finds(t, "words", "-- picture.png --\n\x00 /tm"+"p/x\n"))
}
