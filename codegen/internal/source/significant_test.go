package source

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
)

// parts returns the significant parts of a file.
func parts(text string) (code, face string) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return text, text
	}
	return string(Code([]byte(text), fset, syntax)), string(Face([]byte(text), fset, syntax))
}

func TestWhichChangesMatterToWhom(t *testing.T) {
	const before = "// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n"
	code, face := parts(before)
	for name, c := range map[string]struct {
		after      string
		code, face bool // whether they differ
	}{
		"nothing":                        {before, false, false},
		"the words of a comment":         {"// A package.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // because\n}\n\n// G.\nfunc g() {}\n", false, false},
		"a comment is gone":              {"// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg()\n}\n\n\nfunc g() {}\n", false, false},
		"the words of its comment":       {"// Package p.\npackage p\n\n// F has other words.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n", false, false},
		"a line more in its comment":     {"// Package p.\npackage p\n\n// F has\n// other words.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n", true, false},
		"a comment at the end":           {before + "\n// The end.\n", false, false},
		"a line more":                    {"// Package p,\n// which does a lot.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n", true, false},
		"a body":                         {"// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg(); g() // why\n}\n\n// g.\nfunc g() {}\n", true, false},
		"a function":                     {before + "func h() {}\n", true, true},
		"an annotation":                  {"// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n//movenext:async\nfunc g() {}\n", true, true},
		"one that is misspelt":           {"// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// MoveNext: async\nfunc g() {}\n", true, true},
		"an annotation that is detached": {"// Package p.\npackage p\n\n// F waits.\n//\n//movenext:async\n\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n", true, true},
		"a build constraint":             {"//go:build linux\npackage p\n\n// F waits.\n//\n//movenext:async\nfunc F() {\n\tg() // why\n}\n\n// g.\nfunc g() {}\n", true, true},
		"code that does not parse":       {before + "}", true, true},
	} {
		otherCode, otherFace := parts(c.after)
		assert.Equal(t, c.code, code != otherCode, "code: %s", name)
		assert.Equal(t, c.face, face != otherFace, "face: %s", name)
		assert.Equal(t, otherCode, string(CodeOf([]byte(c.after))), name)
	}
}

func TestAnAdjacentCommentStaysAttached(t *testing.T) {
	const attached = "package p\n\n//movenext:async\n// F waits.\nfunc F() {}\n"
	const detached = "package p\n\n//movenext:async\n\nfunc F() {}\n"
	assert.NotEqual(t, string(CodeOf([]byte(attached))), string(CodeOf([]byte(detached))))
}

func TestCommentsThatCReads(t *testing.T) {
	const file = "package p\n\n// int one;\nimport \"C\"\n"
	assert.Equal(t, file, string(CodeOf([]byte(file))))
}

func TestTheValuesOfAStreamArePartOfItsDeclaration(t *testing.T) {
	_, ints := parts("package p\n\n//movenext:async\nfunc S() seq {\n\treturn func(yield func(int, error) bool) {}\n}\n")
	_, strings := parts("package p\n\n//movenext:async\nfunc S() seq {\n\treturn func(yield func(string, error) bool) {}\n}\n")
	assert.NotEqual(t, ints, strings)
}
