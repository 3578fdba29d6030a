package source

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// parts returns the code and the API of a file.
func parts(text string) (code, api string) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return text, text
	}
	return string(Code([]byte(text), fset, syntax)), string(API([]byte(text), fset, syntax))
}

func TestWhichChangesMatterToWhom(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/changes.txtar")
	require.NoError(t, err)
	before := string(archive.Files[0].Data)
	code, api := parts(before)
	for _, file := range archive.Files[1:] {
		change, want, _ := strings.Cut(file.Name, ": ")
		after := string(file.Data)
		otherCode, otherAPI := parts(after)
		assert.Equal(t, want != "nothing", code != otherCode, "code: %s", change)
		assert.Equal(t, want == "code, api", api != otherAPI, "API: %s", change)
	}
}

func TestAnAdjacentCommentStaysAttached(t *testing.T) {
	const attached = "package p\n\n//movenext:async\n// F waits.\nfunc F() {}\n"
	const detached = "package p\n\n//movenext:async\n\nfunc F() {}\n"
	code, _ := parts(attached)
	other, _ := parts(detached)
	assert.NotEqual(t, code, other)
}

func TestCommentsThatCReads(t *testing.T) {
	const file = "package p\n\n// int one;\nimport \"C\"\n"
	code, _ := parts(file)
	assert.Equal(t, file, code)
}

func TestTheValuesOfAStreamArePartOfItsDeclaration(t *testing.T) {
	stream := func(typ string) string {
		return `package p

//movenext:async
func S() seq {
	return func(yield func(` + typ + `, error) bool) {}
}
`
	}
	_, ints := parts(stream("int"))
	_, texts := parts(stream("string"))
	assert.NotEqual(t, ints, texts)
}
