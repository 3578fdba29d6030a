package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/howto/code/cgo/dns"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// printed is the output that the page shows.
var printed = regexp.MustCompile("(?s)<!-- prints: docs/howto/code/cgo -->\n```\n(.*?)```")

func TestThePageShowsWhatTheProgramPrints(t *testing.T) {
	page, err := os.ReadFile("../../callbacks.md")
	require.NoError(t, err)
	shown := printed.FindSubmatch(page)
	require.NotNil(t, shown)
	var out strings.Builder
	run(t.Context(), &out)
	assert.Equal(t, string(shown[1]), out.String())
}

// TestTheLibraryIsInCWhereThereIsACompiler ensures that not only the stand-in is tested.
func TestTheLibraryIsInCWhereThereIsACompiler(t *testing.T) {
	if os.Getenv("CGO_ENABLED") == "0" {
		t.Skip("cgo is switched off")
	}
	compiler, err := exec.CommandContext(t.Context(), "go", "env", "CC").Output()
	require.NoError(t, err)
	words := strings.Fields(string(compiler))
	require.NotEmpty(t, words)
	if path, err := exec.LookPath(words[0]); err != nil {
		t.Skip("there is no C compiler; the other tests have run with the stand-in in Go")
	} else {
		assert.Equal(t, "C", dns.Library, "there is %s", path)
	}
}

func TestBothForms(t *testing.T) {
	for name, visit := range map[string]func() (string, error){
		"plain":   func() (string, error) { return visit(t.Context(), "ann", time.Millisecond) },
		"machine": func() (string, error) { return visitAsync(t.Context(), "ann", time.Millisecond).Wait(t.Context()) },
	} {
		text, err := visit()
		require.NoError(t, err, name)
		assert.Equal(t, "visited address of ann", text, name)
	}
	dns.Drain()
}
