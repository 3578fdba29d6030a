package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Name is the name of the file in the folder of a package.
const Name = "movenext_layouts.txt"

// File describes the durable functions of a package.
type File struct {
	Functions []*Function
	Imports   []Import
}

// Import is a durable function of another module that the package uses, and a layout with which
// the function may have saved instances.
type Import struct {
	Name, From, Layout string
	Line               int
}

// Function is a durable function in all its versions.
type Function struct {
	Name string
	Line int // line of its section; 0: it has none

	Gone     bool     // it was removed, and that was accepted
	Sources  []string // hashes of the accepted sources; several after a merge
	Removed  []string // names that points once had
	Stranded []string // layouts whose instances are left behind
	Accepted []Accepted
	Migrated []Migrated
	Layouts  []*Layout // layouts that instances in flight may have, including the present one
}

// Accepted is a difference that a user has accepted.
type Accepted struct {
	Layout string // of the instances
	What   string
}

// Migrated records which layout a migration converts to which.
type Migrated struct{ From, To string }

// Function returns the function with a name, or nil.
func (f *File) Function(name string) *Function {
	for _, fn := range f.Functions {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}

// Add returns the function with a name, and creates it if necessary.
func (f *File) Add(name string) *Function {
	fn := f.Function(name)
	if fn == nil {
		fn = &Function{Name: name}
		f.Functions = append(f.Functions, fn)
	}
	return fn
}

// Layout returns the layout with a hash, or nil.
func (fn *Function) Layout(hash string) *Layout {
	for _, l := range fn.Layouts {
		if l.Hash() == hash {
			return l
		}
	}
	return nil
}

const head = `# The layouts of the durable functions of this package: what instances in flight may have been
# saved with. Go tool movenext writes this file and checks the code against it; commit it.
# After a merge, keep the blocks of both sides. To forget a layout that no instance has any
# more, remove its block.
`

// Bytes returns the file in its written form. It depends on the contents of f, not on their order.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString(head)
	var imports []string
	for _, i := range f.Imports {
		imports = append(imports, fmt.Sprintf("imports %s %s %s\n", i.Name, i.From, i.Layout))
	}
	slices.Sort(imports)
	if len(imports) > 0 {
		b.WriteString("\n" + strings.Join(slices.Compact(imports), ""))
	}
	slices.SortFunc(f.Functions, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	for _, fn := range f.Functions {
		fn.write(&b)
	}
	b.WriteString("\nend\n")
	return b.Bytes()
}

func (fn *Function) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nfunction %s\n", fn.Name)
	if fn.Gone {
		b.WriteString("\tgone\n")
	}
	words := func(keyword string, list []string) {
		slices.Sort(list)
		for _, word := range slices.Compact(list) {
			fmt.Fprintf(b, "\t%s %s\n", keyword, word)
		}
	}
	words("source", fn.Sources)
	words("removed", fn.Removed)
	words("stranded", fn.Stranded)
	var migrated, accepted []string
	for _, m := range fn.Migrated {
		migrated = append(migrated, m.From+" "+m.To)
	}
	for _, a := range fn.Accepted {
		accepted = append(accepted, a.Layout+" "+a.What)
	}
	words("migrated", migrated)
	words("accepted", accepted)
	slices.SortFunc(fn.Layouts, func(a, b *Layout) int { return cmp.Compare(a.Hash(), b.Hash()) })
	for _, l := range fn.Layouts {
		l.write(b)
	}
}

func (l *Layout) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\tlayout %s\n", l.Hash())
	for _, line := range l.text() {
		indent := "\t\t\t"
		switch word, _, _ := strings.Cut(line, " "); word {
		case "point", "undo", "type":
			indent = "\t\t"
		}
		b.WriteString(indent + line + "\n")
	}
}
