package programs

import "strings"

// typ is a type of variables in programs. § stands for the program's prefix, so that many programs
// fit in one package.
type typ string

const (
	integer  typ = "int"
	text     typ = "string"
	boolean  typ = "bool"
	small    typ = "uint8"
	slice    typ = "[]int"
	array    typ = "[2]int"
	table    typ = "map[int]int"
	record   typ = "GS"
	number   typ = "GN"
	pointer  typ = "*int"
	recordAt typ = "*GS"
	anything typ = "any"
	failure  typ = "error"
	function typ = "func(int) int"
	methods  typ = "GI"
	words    typ = "map[string]int"
	ratio    typ = "float64"
	grid     typ = "[][]int"
	embedded typ = "GE"
	held     typ = "func(k int) int" // a variable that holds nothing but literals that suspend
	param    typ = "V"               // the type parameter of a generic function
)

// ordinary are the types for declared variables, repeated according to their frequency.
var ordinary = []typ{
	integer, integer, integer, integer, text, text, boolean, small, slice, slice, array, table, record, record, number,
	pointer, recordAt, anything, failure, function, methods, words, ratio, grid, embedded,
}

// passed are the types of parameters and results.
var passed = []typ{integer, integer, integer, text, boolean, slice, array, record, pointer, recordAt, anything, failure}

// returned are the possible lists of results. Each new combination of types makes the compiler
// build another instance of job.Job, so the number of lists is limited.
var returned = [][]typ{
	{}, {}, {integer}, {integer}, {integer}, {text}, {boolean}, {slice}, {array}, {record}, {recordAt}, {pointer}, {anything}, {failure},
	{integer, text}, {integer, failure}, {record, integer}, {integer, pointer, failure},
}

// shown reports whether values of t print the same regardless of their addresses.
func (t typ) shown() bool {
	switch t {
	case pointer, recordAt, function, methods, embedded, held, pPointer, pFunction, pChannel, "chan int":
		return false
	}
	return true
}

// variable is a variable that may be mentioned at the writer's position.
type variable struct {
	name  string
	typ   typ
	fixed bool // must not be assigned, since the end of a loop depends on it
}

// scope is a block of the program.
type scope struct {
	up   *scope
	vars []*variable
}

// visible lists the visible variables that satisfy want. Of several with one name, the innermost
// counts.
func (w *writer) visible(want func(*variable) bool) []*variable {
	var list []*variable
	hidden := map[string]bool{}
	for s := w.scope; s != nil; s = s.up {
		for i := len(s.vars) - 1; i >= 0; i-- {
			if v := s.vars[i]; !hidden[v.name] {
				hidden[v.name] = true
				if want(v) {
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// pick returns a random visible variable of t, or nil.
func (w *writer) pick(t typ) *variable {
	list := w.visible(func(v *variable) bool { return v.typ == t })
	if len(list) == 0 {
		return nil
	}
	return list[w.r.IntN(len(list))]
}

// declare adds a new variable to the current block.
func (w *writer) declare(t typ) *variable {
	v := &variable{name: w.name(t), typ: t}
	w.scope.vars = append(w.scope.vars, v)
	return v
}

// name returns a name for a variable of t. One in five is the name of another visible variable,
// which it shadows.
func (w *writer) name(t typ) string {
	w.names++
	if w.chance(5) {
		outer := w.visible(func(v *variable) bool { return v.typ == t && !strings.HasPrefix(v.name, "§") && !v.fixed })
		if len(outer) > 0 {
			name := outer[w.r.IntN(len(outer))].name
			if !w.declaredHere(name) {
				return name
			}
		}
	}
	return stems[t] + itoa(w.names)
}

func (w *writer) declaredHere(name string) bool {
	for _, v := range w.scope.vars {
		if v.name == name {
			return true
		}
	}
	return false
}

var stems = map[typ]string{
	integer: "n", text: "s", boolean: "b", small: "c", slice: "list", array: "arr", table: "m", record: "rec", number: "num",
	pointer: "p", recordAt: "ref", anything: "x", failure: "err", function: "f", methods: "i", param: "v", words: "words", ratio: "ratio", grid: "grid", embedded: "emb", held: "held",
	pInteger: "pn", pText: "ps", pSlice: "plist", pArray: "parr", pTable: "pm", pPointer: "pp", pFunction: "pf", pChannel: "pc",
}
