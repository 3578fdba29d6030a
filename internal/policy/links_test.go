package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A bar stands for a back quote, which a Go literal cannot hold.
func TestLinks(t *testing.T) {
	got := finds(t, "links", strings.ReplaceAll(`
-- README.md --
# The tour
Good: [a](docs/a.md), [b](docs), [c](#the-tour), [d](docs/a.md#what-jobt-is-1 "title"),
[e](<docs/a.md#the-other>), [f](https://example.com/gone.md), [g](docs/a.go#L7), [h](docs/a.md#by-hand).
Bad: [a](gone.md), [b](docs/a.md#gone) and [c](#gone),
[d](/docs/a.md), <img src="gone.svg">
[ref]: docs/gone.md
No links: |[a](gone.md)|.
|||go
// # gone
x := m[a](gone.md)
|||
Again: ![a](docs/../gone.png)
-- docs/a.md --
# What |Job[T]| is
# What |Job[T]| is
## [The other](../README.md) ##
<a id="by-hand"></a>
Bad: [up](README.md)
-- docs/a.go --
package docs
-- testdata/a.md --
[a](gone.md)
`, "|", "`"))
	assert.Equal(t, []string{
		"README.md:4: the link #gone leads to no heading",
		"README.md:4: the link docs/a.md#gone leads to no heading",
		"README.md:4: the link gone.md leads to no file",
		"README.md:5: the link /docs/a.md starts at a root that only one site has",
		"README.md:5: the link gone.svg leads to no file",
		"README.md:6: the link docs/gone.md leads to no file",
		"README.md:12: the link docs/../gone.png leads to no file",
		"docs/a.md:5: the link README.md leads to no file",
	}, got)
}
