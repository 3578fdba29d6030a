package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shop = `package shop

import (
	"context"
	"fmt"
	"math/rand"
	"os"

	j "example.com/go-json"
	"gopkg.in/yaml.v3"
	. "strings"
)

// Order is an order.
//
//movenext:durable name=shop.Order
func (s *Shop[T]) Order(ctx context.Context, n int) (string, error) {
	text := "a  b"
	//movenext:point paid
	if n > rand.Intn(3) { // luck
		return ToUpper(text), nil
	}
	b, err := j.Marshal(yaml.Node{})
	return fmt.Sprint(b), err
}
`

// digestOf returns the digest of the first function in a file.
func digestOf(t *testing.T, text string) (name, digest string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "shop.go", text, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && HasTwin(fn) {
			return DeclaredName(fn), Origin(file, fn, []byte(text))
		}
	}
	t.Fatal("there is no function with a twin")
	return "", ""
}

func TestADigestChangesWithWhatTheFunctionDoes(t *testing.T) {
	name, digest := digestOf(t, shop)
	assert.Equal(t, "Shop.Order", name)
	for what, change := range map[string][]string{
		"a statement":               {"n > rand", "n >= rand"},
		"the contents of a string":  {"a  b", "a b"},
		"the name":                  {"Order(ctx", "Pay(ctx"},
		"the receiver":              {"*Shop[T]", "Shop[T]"},
		"a parameter":               {"n int", "n int64"},
		"a result":                  {"(string, error)", "(s string, err error)"},
		"the name of instances":     {"name=shop.Order", "name=shop.order"},
		"the kind":                  {"durable name=shop.Order", "async"},
		"the name of a point":       {"point paid", "point sent"},
		"an import without a name":  {`"math/rand"`, `"math/rand/v2"`},
		"an import named otherwise": {`yaml.v3"`, `yaml.v2"`},
		"a named import":            {"example.com/go-json", "encoding/json"},
		"a dot import":              {`. "strings"`, `. "bytes"`},
		"a name for an import":      {`"math/rand"`, `rand "math/rand/v2"`},
	} {
		changed := strings.ReplaceAll(shop, change[0], change[1])
		require.NotEqual(t, shop, changed, what)
		_, other := digestOf(t, changed)
		assert.NotEqual(t, digest, other, what)
	}
}

func TestADigestStaysWhenAFunctionIsMovedFormattedOrExplained(t *testing.T) {
	_, digest := digestOf(t, shop)
	for what, change := range map[string][]string{
		"a comment":                   {"// luck", "// chance"},
		"a comment less":              {" // luck", ""},
		"a line of comment more":      {"\tb, err", "\t// to JSON\n\tb, err"},
		"a comment in the middle":     {"n > rand", "n > /* up to */ rand"},
		"the doc comment":             {"is an order", "orders"},
		"an excuse for vet":           {"// luck", "//movenext:allow blocking only chance"},
		"empty lines":                 {"\n\tb, err", "\n\n\n\tb, err"},
		"blanks":                      {"n > rand", "n>rand"},
		"a function before it":        {"// Order is", "func before() {}\n\n// Order is"},
		"a function after it":         {"err\n}\n", "err\n}\n\nfunc after() {}\n"},
		"an import that it names not": {`"os"`, `"io"`},
		"an import less":              {"\t\"os\"\n", ""},
		"the order of imports":        {"\t\"fmt\"\n\t\"math/rand\"\n", "\t\"math/rand\"\n\t\"fmt\"\n"},
		"line endings":                {"\n", "\r\n"},
	} {
		changed := strings.ReplaceAll(shop, change[0], change[1])
		require.NotEqual(t, shop, changed, what)
		_, other := digestOf(t, changed)
		assert.Equal(t, digest, other, what)
	}
}

func TestDigestsAreReadFromAGeneratedFile(t *testing.T) {
	data := "// Digest of F: 0123456789abcdef\r\n\nfunc f() {}\n\n// Digest of T.Größe: fedcba9876543210\n\n// Digest of F is: 0\n"
	assert.Equal(t, map[string]string{"F": "0123456789abcdef", "T.Größe": "fedcba9876543210"}, Origins([]byte(data)))
	assert.Empty(t, Origins(Seal([]byte("package p\n"))))
}
