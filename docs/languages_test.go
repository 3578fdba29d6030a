package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pages are in English. A part in another language is between two comments, each on a line of its
// own:
//
//	<!-- language: ru -->
//	<!-- language: en -->
var (
	languageMark = regexp.MustCompile(`(?m)^<!-- language: ([a-z]+) -->\n`)
	notProse     = regexp.MustCompile("`[^`\n]*`|\\]\\([^)]*\\)")
	title        = regexp.MustCompile(`\*[^*\n]+\*`)
	word         = regexp.MustCompile(`\pL+`)
)

// functionWords are words that no text of some length is without.
var functionWords = map[string][]string{
	"en": strings.Fields("the a an of to and is are in it that for with on by or not this which"),
	"es": strings.Fields("el la los las de del que en y es un una con por para lo se su no al cada"),
}

// part is a piece of a page in one language, without code and addresses.
type part struct{ language, text string }

// parts splits a page at its marks.
func parts(t *testing.T, page string) (all []part) {
	t.Helper()
	text, language := fence.ReplaceAllString(read(t, page), ""), "en"
	for {
		at := languageMark.FindStringSubmatchIndex(text)
		if at == nil {
			assert.Equal(t, "en", language, "%s ends in another language than it begins", page)
			return append(all, part{language, notProse.ReplaceAllString(text, "")})
		}
		next := text[at[2]:at[3]]
		assert.NotEqual(t, language, next, "%s: a mark that changes nothing", page)
		all = append(all, part{language, notProse.ReplaceAllString(text[:at[0]], "")})
		text, language = text[at[1]:], next
	}
}

// TestEveryPartIsInItsLanguage checks the scripts of all pages, and the languages of the marked
// parts. Titles and names in italics may be in any script.
func TestEveryPartIsInItsLanguage(t *testing.T) {
	marked := map[string]int{}
	for _, page := range pages(t) {
		for _, p := range parts(t, page) {
			switch p.language {
			case "en":
				other := foreignWord(title.ReplaceAllString(p.text, ""))
				assert.Empty(t, other, "%s: %q is in another script: mark its language, or put a title into italics", page, other)
			case "ru":
				assert.Greater(t, share(p.text, unicode.Cyrillic), 0.6, "%s: little Cyrillic in Russian", page)
			case "zh":
				// A word of one or two characters, beside a column of English words of ten letters.
				assert.Greater(t, share(p.text, unicode.Han), 0.3, "%s: few Chinese characters in Chinese", page)
			case "es":
				assert.Greater(t, count(p.text, "es"), 2*count(p.text, "en"), "%s: few words of Spanish in Spanish", page)
			default:
				assert.Fail(t, "an unknown language", "%s: %s", page, p.language)
			}
			marked[p.language]++
		}
	}
	for _, language := range []string{"ru", "zh", "es"} {
		assert.Equal(t, 2, marked[language], "%s: a page of docs/sources, and the table of names", language)
	}
}

// foreignWord returns the first word of a text that is in another script than English.
func foreignWord(text string) string {
	for _, w := range word.FindAllString(text, -1) {
		for _, r := range w {
			if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Common) { // common: the micro sign
				return w
			}
		}
	}
	return ""
}

// share returns the part of a text's letters that are in a script.
func share(text string, script *unicode.RangeTable) float64 {
	letters, in := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(script, r) {
				in++
			}
		}
	}
	return float64(in) / float64(max(1, letters))
}

// count returns how many words of a text are function words of a language.
func count(text, language string) (n int) {
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		for _, f := range functionWords[language] {
			if w == f {
				n++
			}
		}
	}
	return n
}

// TestTheTableOfNamesHasTheTermsOfTheDocuments compares the first and the last columns of the
// tables in other languages: those on the pages of documents, and those in the table of names.
func TestTheTableOfNamesHasTheTermsOfTheDocuments(t *testing.T) {
	names := terms(t, "book/names.md")
	pages, err := filepath.Glob("sources/*.md")
	require.NoError(t, err)
	onPages := map[string]string{}
	for _, page := range pages {
		for term, ours := range terms(t, page) {
			onPages[term] = ours
		}
	}
	assert.GreaterOrEqual(t, len(onPages), 30)
	assert.Equal(t, onPages, names)
}

// terms returns the rows of the tables in other languages: the last column by the first.
func terms(t *testing.T, page string) map[string]string {
	t.Helper()
	all := map[string]string{}
	language := "en"
	heading := true
	for line := range strings.Lines(read(t, page)) {
		if m := languageMark.FindStringSubmatch(line); m != nil {
			language = m[1]
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		switch {
		case language == "en" || len(cells) < 2:
			heading = true
		case strings.Contains(line, "---"):
			heading = false
		case !heading:
			all[strings.TrimSpace(cells[0])] = strings.TrimSpace(cells[len(cells)-1])
		}
	}
	return all
}
