package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheCommittedFileIsWhatTheGeneratorWrites(t *testing.T) {
	source, err := os.ReadFile("../shop/shop.toy")
	require.NoError(t, err)
	got, err := translate("shop.toy", []byte(strings.ReplaceAll(string(source), "\r\n", "\n")))
	require.NoError(t, err)
	want, err := os.ReadFile("../shop/shop_toy.go")
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), string(got), "run the generator: its comment says how")
}

func TestMistakesAreReportedWithTheirPosition(t *testing.T) {
	for source, want := range map[string]string{
		"let x":                                 `a.toy:1:1: toy: expected "fn", found "let"`,
		"fn f(x number) {\n}":                   `a.toy:1:14: toy: expected int or promise, found "number"`,
		"fn f(x int) {\n\treturn\n}":            `a.toy:2:8: toy: expected an expression`,
		"fn f(x promise) {\n\ty = 1+await x\n}": `a.toy:2:8: toy: an await stands alone: name = await …`,
		"fn f() {\n\treturn 1\n\tx = 2\n}":      `a.toy:3:2: toy: nothing runs after a return`,
		"fn f() {\n\tx = \"":                    `a.toy:2:6: toy: string literal not terminated`,
		"fn f(":                                 `a.toy:1:6: toy: expected ")", found "EOF"`,
		"fn f() {\n\tx = 1 1\n}":                "toy: a.toy: ",
	} {
		_, err := translate("a.toy", []byte(source))
		assert.ErrorContains(t, err, want, "%q", source)
	}
}

// FuzzTranslate gives the generator arbitrary texts: it returns a file or an error, and
// terminates.
func FuzzTranslate(f *testing.F) {
	f.Add("fn f(x int, y promise) {\n\twhile x > 0 {\n\t\tx = await y\n\t}\n\tif x { return 1 } else { x = 2 }\n}")
	f.Add("fn fn fn ( ) { ; } ;;")
	f.Fuzz(func(t *testing.T, source string) {
		out, err := translate("a.toy", []byte(source))
		assert.Equal(t, err == nil, out != nil)
	})
}

// TestTheGeneratorIsSmall holds the book to its word: 300 lines of code, imports not counted.
func TestTheGeneratorIsSmall(t *testing.T) {
	lines := 0
	for _, name := range []string{"parse.go", "emit.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, code, found := strings.Cut(string(text), "\n)\n") // the end of the imports
		require.True(t, found)
		for line := range strings.Lines(code) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	assert.LessOrEqual(t, lines, 300)
}
