package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// graph returns a layout of steps without values: "a>b,c b>c c" has an edge from a to b.
func graph(text string) *layout.Layout {
	l := &layout.Layout{}
	for _, word := range strings.Fields(text) {
		name, next, _ := strings.Cut(word, ">")
		l.Points = append(l.Points, layout.Point{Name: name, Kind: layout.Step, Next: strings.FieldsFunc(next, func(r rune) bool { return r == ',' })})
	}
	return l
}

func ExampleCompare() {
	old := graph("begin>reserve reserve>charge charge")
	now := graph("begin>charge charge>reserve reserve")
	for _, d := range layout.Compare(old, now) {
		fmt.Printf("%s; %s\n", d.What, d.Why)
	}
	// Output:
	// charge always comes before reserve; an instance that was saved at reserve may have come there without, and would skip it
	// reserve can follow charge; an instance that was saved at charge may have passed reserve already, and would run it twice
}

func TestTheOrderOfPoints(t *testing.T) {
	for _, c := range []struct {
		name, old, now string
		want           []string
	}{
		{"the same", "b>p p>q q", "b>p p>q q", nil},
		{"a loop that was there", "b>p p>q q>p", "b>p p>q q>p", nil},
		{"a loop that is gone", "b>p p>q q>p", "b>p p>q q", nil},
		{"a loop around one", "b>p p>q q", "b>p p>p,q q", []string{"p can follow p"}},
		{"a loop around both", "b>p p>q q", "b>p p>q q>p", []string{"p can follow p", "q can follow q", "p can follow q"}},
		{"a new point behind, on one path", "b>p p>q q", "b>p p>q,n n>q q", nil},
		{"a new point on the only path", "b>p p>q q", "b>p p>n n>q q", []string{"n always comes before q"}},
		{"a new point at the end", "b>p p>q q", "b>p p>q q>n n", nil},
		{"a branch becomes the only way", "b>p,q p>q q", "b>p p>q q", []string{"p always comes before q"}},
		{"the only way becomes a branch", "b>p p>q q", "b>p,q p>q q", nil},
		{"two branches in a row", "b>p,q p q", "b>p p>q q", []string{"p always comes before q"}},
		{"one that could follow is gone", "b>p p>q q", "b>p p", []string{"the point q is gone"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range layout.Compare(graph(c.old), graph(c.now)) {
				got = append(got, d.What)
			}
			assert.ElementsMatch(t, c.want, got)
		})
	}
}

func TestTypesAreComparedByAllTheirParts(t *testing.T) {
	with := func(value string, types ...layout.Type) *layout.Layout {
		return &layout.Layout{Points: []layout.Point{{Name: "p", Kind: layout.Step, Values: []layout.Value{{Name: "v", Type: value}}}}, Types: types}
	}
	for _, c := range []struct {
		name     string
		old, now *layout.Layout
		same     bool
	}{
		{"a type behind two others", with("[]a.B", layout.Type{Name: "a.B", Is: "*a.C"}, layout.Type{Name: "a.C", Is: "int"}), with("[]a.B", layout.Type{Name: "a.B", Is: "*a.C"}, layout.Type{Name: "a.C", Is: "string"}), false},
		{"a type that refers to itself", with("a.B", layout.Type{Name: "a.B", Is: "struct{Next *a.B}"}), with("a.B", layout.Type{Name: "a.B", Is: "struct{Next *a.B}"}), true},
		{"one that only begins like it", with("a.Bc", layout.Type{Name: "a.B", Is: "int"}, layout.Type{Name: "a.Bc", Is: "int"}), with("a.Bc", layout.Type{Name: "a.B", Is: "string"}, layout.Type{Name: "a.Bc", Is: "int"}), true},
		{"a field more", with("[]a.B", layout.Type{Name: "a.B", Is: "struct{A int; C struct{D int}}"}), with("[]a.B", layout.Type{Name: "a.B", Is: "struct{Z string; A int; C struct{D int; E map[string]struct{F int}}}"}), true},
		{"a field more, in a type without a name", with("map[string][]struct{A int}"), with("map[string][]struct{A int; B *string}"), true},
		{"the first field", with("struct{}"), with("struct{A int}"), true},
		{"a field less", with("a.B", layout.Type{Name: "a.B", Is: "struct{A int; B int}"}), with("a.B", layout.Type{Name: "a.B", Is: "struct{A int}"}), false},
		{"another name of a field", with("struct{A int; B int}"), with("struct{A int; C int}"), false},
		{"another type of a field", with("struct{A int; B int}"), with("struct{A int; B []int}"), false},
		{"a field more, and another type", with("struct{A int; B struct{C int}}"), with("struct{A int; B struct{C string; D int}}"), false},
		{"a slice of it", with("struct{A int}"), with("[]struct{A int}"), false},
		{"another key", with("map[struct{A int}]int"), with("map[struct{A int; B int}]int"), false},
		{"a constant more", with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int", []string{"X = 1"})}), with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int", []string{"W = 2", "X = 1"})}), true},
		{"the first constants", with("a.B", layout.Type{Name: "a.B", Is: "int"}), with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int", []string{"X = 1"})}), true},
		{"a constant less", with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int", []string{"X = 1"})}), with("a.B", layout.Type{Name: "a.B", Is: "int"}), false},
		{"another basic type", with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int", []string{"X = 1"})}), with("a.B", layout.Type{Name: "a.B", Is: layout.Basic("int8", []string{"X = 1"})}), false},
		{"marshals itself now", with("a.B", layout.Type{Name: "a.B", Is: "struct{A int}"}), with("a.B", layout.Type{Name: "a.B", Is: "marshals itself"}), false},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.same, len(layout.Compare(c.old, c.now)) == 0) })
	}
}

// A type that has changed is reported once, for all points and values.
func TestATypeThatHasChangedIsOneDifference(t *testing.T) {
	saved := func(field string) *layout.Layout {
		l := &layout.Layout{Types: []layout.Type{{Name: "a.B", Is: "struct{A int; " + field + "}"}}}
		for i := range 10 {
			l.Points = append(l.Points, layout.Point{Name: fmt.Sprint("p", i), Kind: layout.Step, Values: []layout.Value{{Name: "b", Type: "a.B"}, {Name: "list", Type: "[]a.B"}}})
		}
		return l
	}
	list := layout.Compare(saved("C int"), saved("D int"))
	require.Len(t, list, 1)
	assert.Equal(t, "p0", list[0].Point)
	assert.Equal(t, "the type of b, which is needed at p0 and at 9 more points (20 values), has changed: a.B: its field C int is gone, it has gained D int", list[0].What)
}

// whole returns a file that uses everything that a file can contain.
func whole() *layout.File {
	l := &layout.Layout{
		Points: []layout.Point{
			{Name: "begin", Kind: layout.Begin, Values: []layout.Value{{Name: "o", Type: "a.Pair[int,string]"}}, Next: []string{"pay", "ask"}},
			{Name: "pay", Kind: layout.Step, Callee: "(*a.Shop).pay", Gives: "int, error", Next: []string{"pay", "ask"}},
			{Name: "ask", Kind: layout.Receive, Gives: "struct{A int; B string}"},
		},
		Undos: []layout.Undo{{Step: "a.undo", Callee: "a.undo", Types: []string{"int", "map[string]struct{A int}"}}},
		Types: []layout.Type{{Name: "a.Kind", Is: "int with A = 1; B = 2"}, {Name: "a.Pair[int,string]", Is: "struct{A int; B string}"}},
	}
	f := &layout.File{}
	fn := f.Add("shop.Order")
	fn.Sources, fn.Removed, fn.Stranded = []string{"2", "1"}, []string{"p"}, []string{"0123"}
	fn.Accepted = []layout.Accepted{{Layout: l.Hash(), What: "x is no longer needed at p"}}
	fn.Migrated = []layout.Migrated{{From: "0123", To: l.Hash()}}
	fn.Layouts = []*layout.Layout{l, graph("begin>x x")}
	f.Add("shop.Gone").Gone = true
	f.Imports = []layout.Import{{Name: "x", From: "example.com/x", Layout: "0123"}}
	return f
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	data := whole().Bytes()
	f, err := layout.Parse(data)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(f.Bytes()))
	assert.True(t, f.Function("shop.Gone").Gone)
	assert.Len(t, f.Function("shop.Order").Layouts, 2)

	crlf, err := layout.Parse([]byte(strings.ReplaceAll(string(data), "\n", "\r\n")))
	require.NoError(t, err)
	assert.Equal(t, string(data), string(crlf.Bytes()), "whatever the line ends are")
}

// The union of two branches, in either order, leads to the same file.
func TestAMergeIsAUnion(t *testing.T) {
	section := func(l *layout.Layout) string {
		f := &layout.File{}
		fn := f.Add("f")
		fn.Layouts, fn.Sources = []*layout.Layout{l}, []string{l.Hash()}
		text := string(f.Bytes())
		return text[strings.Index(text, "\nfunction") : len(text)-len("end\n")]
	}
	one, two := section(graph("a>b b")), section(graph("a>c c"))
	left, err := layout.Parse([]byte(one + two + one + "end"))
	require.NoError(t, err)
	right, err := layout.Parse([]byte(two + one + "end"))
	require.NoError(t, err)
	assert.Equal(t, string(left.Bytes()), string(right.Bytes()))
	assert.Len(t, left.Function("f").Layouts, 2)
	assert.Len(t, left.Function("f").Sources, 2, "either is accepted")
}

func TestADamagedFileSaysWhere(t *testing.T) {
	text := string(whole().Bytes())
	for _, c := range []struct{ name, text, want string }{
		{"empty", " \n", "empty"},
		{"cut", text[:len(text)/2], "ends in the middle"},
		{"cut between two sections", text[:strings.LastIndex(text, "\nfunction")], "ends in the middle"},
		{"a conflict", strings.Replace(text, "\tsource 1", "<<<<<<< HEAD\n\tsource 1\n=======\n>>>>>>> b", 1), "merge conflict"},
		{"an edited type", strings.Replace(text, "B = 2", "B = 3", 1), "was edited"},
		{"an edited hash", strings.Replace(text, "\tlayout ", "\tlayout f", 1), "was edited"},
		{"a block without lines", "function f\n\tlayout 0\nend\n", "was edited"},
		{"a line of nothing", "function f\n\tnonsense\nend\n", "means nothing"},
		{"a value without a point", "function f\n\tlayout 0\n\tvalue x int\nend\n", "means nothing"},
		{"an argument without an undo", "function f\n\tlayout 0\n\targument int\nend\n", "means nothing"},
		{"no function", "\tsource 1\nend\n", "means nothing"},
		{"text behind the end", text + "function f\n", "means nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := layout.Parse([]byte(c.text))
			var damage *layout.Error
			require.ErrorAs(t, err, &damage)
			assert.Contains(t, damage.Error(), c.want)
			assert.NotEmpty(t, damage.Why)
			assert.NotEmpty(t, damage.Do)
		})
	}
}

// FuzzParse checks that any file is read or refused, and that a file that was read can be written
// and read again.
func FuzzParse(f *testing.F) {
	f.Add(whole().Bytes())
	f.Add([]byte("function f\n\tlayout 0\n\tpoint\nend\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := layout.Parse(data)
		if err != nil {
			return
		}
		text := file.Bytes()
		again, err := layout.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again.Bytes()))
		for _, fn := range file.Functions {
			for _, a := range fn.Layouts {
				for _, b := range fn.Layouts {
					layout.Compare(a, b)
				}
			}
		}
	})
}
