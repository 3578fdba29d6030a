package truncate_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/truncate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	fmt.Println(truncate.Text("a long name", 6))
	// Output: a long…
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"fits", "fits"},
		{"fits now", "fits now"},
		{"too long by far", "too long…"},
		{"1234567é", "1234567…"},
		{"123456é", "123456é"},
		{"a\xffb", "a\uFFFDb"},
		{"12345\xff", "12345\uFFFD"},
		{"123456\xff", "123456…"},
		{"\x1b[2J", "\uFFFD[2J"},
		{"a\nb\r", "a\uFFFDb\uFFFD"},
		{"\u202Eb", "\uFFFDb"}, // right to left
		{"a\u2028b", "a\uFFFDb"},
		{"a\u200Bb", "a\uFFFDb"}, // of no width
		{"\u009bJ", "\uFFFDJ"},   // an escape of one character
		{"é ж", "é ж"},
	} {
		assert.Equal(t, c.want, truncate.Text(c.text, 8), "%q", c.text)
	}
}

func TestTextsOfPanics(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"ouch":                    "ouch",
		"two\nlines\n":            "two\n\tlines\n\t",
		"\x1b[2J\r\nb\xff\u202Ec": "\uFFFD[2J\uFFFD\n\tb\uFFFD\uFFFDc",
	} {
		assert.Equal(t, want, truncate.Indented(text), "%q", text)
	}
}

// A reader of recordings rejects a text that is longer than the writer promised.
func TestBytesThatAreReplacedCount(t *testing.T) {
	for _, s := range []string{strings.Repeat("\xff", 300), strings.Repeat("a\xff", 150), strings.Repeat("é", 300)} {
		got := truncate.Text(s, 200)
		assert.LessOrEqual(t, len(got), 200+len("…"))
		assert.True(t, utf8.ValidString(got))
		assert.Equal(t, got, truncate.Name(s))
	}
}
