package coverage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// statement is a statement that a block consists of.
type statement struct {
	position
	offset   int
	labelled int // the offset of its label; -1: it has none

	// literal is 0, or the number of the function literal that has the statement in it, of those
	// that begin in the same line.
	literal int

	function int // the number of the declaration that has it in it
	depth    int // the number of lists around its list

	inside int // the index of the statement that has it in it; -1: none
	next   int // the index of the next statement in its list; -1: none
}

// key says where a statement is if its column is not known.
type key struct{ line, literal int }

// statements returns the statements of a file without //line directives, in the order of the text.
// The function lines translates the numbers of lines.
func statements(text []byte, lines func(int) int) ([]statement, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	w := &walk{file: fset.File(file.FileStart), lines: lines, literals: map[int]int{}}
	for n, decl := range file.Decls {
		w.function = n
		ast.Walk(&visitor{walk: w, depth: -1, inside: -1}, decl)
	}
	return w.list, nil
}

type walk struct {
	file     *token.File
	lines    func(int) int
	list     []statement
	function int
	literals map[int]int // how many have begun in a line
}

// visitor visits the nodes inside of one.
type visitor struct {
	*walk
	depth   int // of the list
	line    int // in which the innermost literal begins; 0: there is none
	literal int // its number there
	inside  int // the statement around the list
}

// Visit adds statements when it comes to them.
func (v *visitor) Visit(n ast.Node) ast.Visitor {
	inner := *v
	switch n := n.(type) {
	case *ast.FuncLit:
		line := v.lines(v.file.Line(n.Pos()))
		v.literals[line]++
		inner.line, inner.literal = line, v.literals[line]
	case *ast.BlockStmt:
		inner.depth++
		v.addAll(&inner, n.List)
		return nil
	case *ast.CaseClause:
		for _, e := range n.List {
			ast.Walk(v, e)
		}
		inner.depth++
		v.addAll(&inner, n.Body)
		return nil
	case *ast.CommClause:
		if n.Comm != nil {
			ast.Walk(v, n.Comm)
		}
		inner.depth++
		v.addAll(&inner, n.Body)
		return nil
	case *ast.IfStmt:
		also, is := n.Else.(*ast.IfStmt)
		if !is {
			return &inner
		}
		// For coverage it is a block of its own.
		for _, part := range []ast.Node{n.Init, n.Cond, n.Body} {
			if part != nil {
				ast.Walk(v, part)
			}
		}
		v.addAll(&inner, []ast.Stmt{also})
		return nil
	}
	return &inner
}

// addAll adds the statements of a list, each with those inside of it.
func (v *visitor) addAll(inner *visitor, list []ast.Stmt) {
	last := -1
	for _, s := range list {
		added := inner.add(s)
		if added < 0 {
			continue
		}
		if last >= 0 {
			v.list[last].next = added
		}
		last = added
	}
}

// add adds a statement and those inside of it, and returns its index.
func (v *visitor) add(s ast.Stmt) int {
	labelled := -1
	for {
		l, is := s.(*ast.LabeledStmt)
		if !is {
			break
		}
		if labelled < 0 {
			labelled = v.file.Offset(l.Pos())
		}
		s = l.Stmt
	}
	if _, empty := s.(*ast.EmptyStmt); empty {
		return -1
	}
	at := v.file.Position(s.Pos())
	found := statement{
		position: position{at.Line, at.Column}, offset: at.Offset, labelled: labelled,
		function: v.function, depth: v.depth, inside: v.inside, next: -1,
	}
	if v.line > 0 && v.line == v.lines(at.Line) {
		found.literal = v.literal
	}
	index := len(v.list)
	v.list = append(v.list, found)
	inner := *v
	inner.inside = index
	ast.Walk(&inner, s)
	return index
}

// places returns the indexes of the blocks with statements at each place, in the order of the
// text.
func places(list []statement, blocks []extent, at func(statement) (key, bool)) map[key][]int {
	found := map[key][]int{}
	for _, s := range list {
		k, ok := at(s)
		if i := innermost(blocks, s.position); ok && i >= 0 && !slices.Contains(found[k], i) {
			found[k] = append(found[k], i)
		}
	}
	return found
}
