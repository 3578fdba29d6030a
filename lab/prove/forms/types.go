package forms

import (
	"slices"
	"strings"
)

// Types selects what type names stand for.
type Types string

// The choices.
const (
	Plain   Types = "plain"   // int, []int, …
	Named   Types = "named"   // types that a package declares
	Core    Types = "core"    // type parameters, each of which has one underlying type
	Several Types = "several" // type parameters with more than one underlying type
	Opaque  Types = "opaque"  // a type parameter of which nothing but == is known
)

// All lists the choices.
var All = []Types{Plain, Named, Core, Several, Opaque}

// symbol is the name of a type in templates.
type symbol struct {
	plain string // the type, made of other symbols
	one   string // an operand's value, as written where the program is run
	two   string // the value to which it is changed
	show  string // the logged part: nothing that depends on an address
}

// symbols by name. The values fit each other: integers are valid indices, and maps contain the
// keys that strings and integers denote.
var symbols = map[byte]symbol{
	'I': {"int", "1", "2", "§"},
	'U': {"uint8", "1", "200", "§"},
	'D': {"float64", "1.5", "2.5", "§"},
	'S': {"string", `"abcd"`, `"vwxyz"`, "§"},
	'B': {"bool", "true", "false", "§"},
	'L': {"[]@I", "{1, 2, 3, 4}", "{15, 16, 17, 18, 19}", "§"},
	'Y': {"[]byte", "{97, 98, 99, 100}", "{118, 119, 120, 121, 122}", "§"},
	'A': {"[4]@I", "{1, 2, 3, 4}", "{15, 16, 17, 18}", "§"},
	'O': {"*[4]@I", "&[4]@I{1, 2, 3, 4}", "&[4]@I{15, 16, 17, 18}", "*§"},
	'M': {"map[@I]@I", "{1: 11, 2: 12, 3: 13}", "{1: 21, 2: 22, 4: 24}", "§"},
	'W': {"map[@S]@I", `{"abcd": 1, "vwxyz": 2}`, `{"abcd": 3, "q": 4}`, "§"},
	'P': {"*@I", "Gp[@I](5)", "Gp[@I](6)", "*§"},
	'C': {"chan @I", "Gc[@C](1, 2)", "Gc[@C](3)", "cap(§), len(§)"},
	'T': {"chan<- @I", "Gc[chan @I](1, 2)", "Gc[chan @I](3)", "cap(§), len(§)"},
	'F': {"func(@I) @I", "func(n @I) @I { return n + 1 }", "func(n @I) @I { return n * 2 }", "§(3)"},
	'R': {"Gr[@I, @S]", `{1, "r", [2]@I{3, 4}}`, `{5, "s", [2]@I{6, 7}}`, "§"},
	'Q': {"*Gr[@I, @S]", `&Gr[@I, @S]{1, "r", [2]@I{3, 4}}`, `&Gr[@I, @S]{5, "s", [2]@I{6, 7}}`, "*§"},
	'E': {"Gm[@I]", `&Gr[@I, @S]{1, "r", [2]@I{3, 4}}`, `Gr[@I, @S]{5, "s", [2]@I{6, 7}}`, "Gshow(§)"},
	'X': {"any", "@I(1)", "@I(2)", "§"},
	'V': {"Gr[@I, @S]", `{1, "v", [2]@I{3, 4}}`, `{5, "w", [2]@I{6, 7}}`, "§"},
	'K': {"*Gr[@I, @S]", `&Gr[@I, @S]{1, "r", [2]@I{3, 4}}`, `&Gr[@I, @S]{5, "s", [2]@I{6, 7}}`, "§.Show()"},
	'N': {"func(func(@I, @I) bool)", "func(yield func(@I, @I) bool) { _ = yield(1, 11) && yield(2, 12) }", "func(yield func(@I, @I) bool) { yield(3, 13) }", "len(Gall(§))"},
}

// declared are the symbols that are defined types where Types is Named, and type parameters where
// it is Core.
const declared = "IUDSBLYAOMWPCTFN"

// several are the constraints where Types is Several.
var several = map[byte]string{
	'I': "~int | ~int64", 'U': "~uint8 | ~uint16", 'D': "~float64 | ~float32", 'S': "~string | ~[]byte",
	'L': "~[]@I | ~[4]@I", 'A': "~[4]@I | ~[]@I", 'C': "~chan @I | <-chan @I", 'T': "~chan @I | chan<- @I", 'O': "~*[4]@I | ~[]@I",
}

// constraint returns the constraint of the type parameter for a symbol, or "" if it has none.
func (t Types) constraint(sym byte) string {
	switch {
	case sym == 'V' && t.generic():
		return "comparable"
	case sym == 'K' && t.generic():
		return "Gk[@I]"
	// gc fails to compile slicing of a pointer to an array if that pointer type is a type
	// parameter
	case t == Core && sym != 'O' && strings.IndexByte(declared, sym) >= 0:
		return "~" + symbols[sym].plain
	case t == Several:
		return several[sym]
	}
	return ""
}

// name returns the text of a symbol in a program.
func (t Types) name(sym byte) string {
	switch {
	case t.constraint(sym) != "":
		return string(sym)
	case t == Named && strings.IndexByte(declared, sym) >= 0:
		return "G" + string(sym)
	}
	return t.expand(symbols[sym].plain)
}

// expand replaces the symbols in a text with the names of types.
func (t Types) expand(text string) string {
	return eachSymbol(text, t.name)
}

// actual returns the type argument for a type parameter.
func actual(sym byte) string {
	return eachSymbol(symbols[sym].plain, actual)
}

// argument returns a value of a symbol's type, as written where the program is run.
func (t Types) argument(sym byte, value string) string {
	name := t.name
	if t.generic() {
		name = actual
	}
	if strings.HasPrefix(value, "{") {
		value = name(sym) + value
	}
	return eachSymbol(value, name)
}

// eachSymbol replaces each @X in a text.
func eachSymbol(text string, name func(byte) string) string {
	for {
		at := strings.IndexByte(text, '@')
		if at < 0 {
			return text
		}
		text = text[:at] + name(text[at+1]) + text[at+2:]
	}
}

// parameters lists the symbols that are type parameters of a program that mentions some symbols,
// including those that the constraints mention.
func (t Types) parameters(mentioned string) []byte {
	var list []byte
	var add func(text string)
	add = func(text string) {
		eachSymbol(text, func(sym byte) string {
			if c := t.constraint(sym); c == "" {
				add(symbols[sym].plain)
			} else if !slices.Contains(list, sym) {
				list = append(list, sym)
				add(c)
			}
			return ""
		})
	}
	add(mentioned)
	return list
}
