package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	exercise = regexp.MustCompile(`(?m)^(\d)\. `)
	solution = regexp.MustCompile(`\[Solutions\]\((code/\S+?_test\.go)\)`)
	solved   = regexp.MustCompile(`(?m)^func TestExercise(\d)[A-Z]\w+\(t \*testing\.T\)`)
	sized    = regexp.MustCompile(`\[\d+\.\d\]\((\d\d-[a-z-]+\.md)#exercises\)`)

	// strokes are the characters of drawings.
	strokes = regexp.MustCompile(`[─▶◀▼▲│█]`)
)

// TestEveryChapterHasAPicture looks for a drawing, a block without a language or a command.
// A forge does not show replays.
func TestEveryChapterHasAPicture(t *testing.T) {
	chapters, err := filepath.Glob("book/[0-9][0-9]-*.md")
	require.NoError(t, err)
	require.Len(t, chapters, 20)
	for _, chapter := range chapters {
		drawn := slices.ContainsFunc(blocks(read(t, chapter)), func(b block) bool {
			return b.language == "" && b.verb == "" && strokes.MatchString(b.text)
		})
		assert.True(t, drawn, "%s has no picture", chapter)
	}
}

// TestEveryExerciseHasASizeAndATestedSolution compares three lists: the exercises of a
// chapter, the tests in the file that it links, and the page of all exercises.
func TestEveryExerciseHasASizeAndATestedSolution(t *testing.T) {
	index := read(t, "book/exercises.md")
	sizes := map[string]int{}
	for _, m := range sized.FindAllStringSubmatch(index, -1) {
		sizes[m[1]]++
	}
	chapters, err := filepath.Glob("book/[0-9][0-9]-*.md")
	require.NoError(t, err)
	all := 0
	for _, chapter := range chapters {
		_, text, found := strings.Cut(read(t, chapter), "\n## Exercises\n")
		file := solution.FindStringSubmatch(text)
		if !assert.True(t, found, "%s has no exercises", chapter) || !assert.NotNil(t, file, "%s links no solutions", chapter) {
			continue
		}
		text, _, _ = strings.Cut(text, "[Solutions]")
		asked, answered := exercise.FindAllStringSubmatch(text, -1), solved.FindAllStringSubmatch(read(t, filepath.Join("book", file[1])), -1)
		var questions, answers []string
		for i, m := range asked {
			assert.Equal(t, strconv.Itoa(i+1), m[1], chapter)
			questions = append(questions, m[1])
		}
		for _, m := range answered {
			answers = append(answers, m[1])
		}
		assert.Equal(t, questions, answers, "%s and the tests in %s", chapter, file[1])
		assert.Equal(t, len(questions), sizes[filepath.Base(chapter)], "book/exercises.md names each exercise of %s once", chapter)
		all += len(questions)
	}
	assert.GreaterOrEqual(t, all, 40)
}
