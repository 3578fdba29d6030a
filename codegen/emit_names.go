package codegen

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
)

// namer chooses names. They come from the source where it has some; they must not
// hide anything that generated code mentions, nor be hidden.
type namer struct {
	u *unit

	recv, task, renewed string // of MoveNext: receiver, task; a loop variable's copy
	steps               string // of the frame: what tells its steps
	defers, raise       string // of the frame: deferred calls; of those: what raises a panic
	finished, again     string // of MoveNext and its steps: their results
	moveNext, step      string // methods that MoveNext calls: with something to pass; a step
	panicking, callee   string // of an entry of a deferred call
	loops               string // of the frame: ranges over functions

	used     map[string]bool // locals of MoveNext
	fields   map[string]bool // of the frame
	mentions map[string]bool // every identifier of the function
	outer    map[string]bool // those that mean something outside of it
	foreign  map[string]bool // those, and its own constants and types
	hidden   map[string]bool // predeclared names that the function declares
	kept     map[string]bool // labels that stay in kept statements
	labels   map[*label]string
	taken    map[string]bool // labels
	objects  map[types.Object]string
}

// reservedFields are what the frame and the machine get from what they embed, or
// have as methods.
var reservedFields = []string{"Frame", "State", "Misuse", "MoveNext", "Results", "Location", "Producer", "Emit", "Wanted", "Builder", "Start", "SetResult", "Spawned", "Suspend", "GoOn"}

func newNamer(u *unit) *namer {
	n := &namer{
		u: u, used: map[string]bool{}, fields: map[string]bool{}, mentions: map[string]bool{},
		outer: map[string]bool{}, foreign: map[string]bool{}, hidden: map[string]bool{}, kept: map[string]bool{},
		labels: map[*label]string{}, taken: map[string]bool{}, objects: map[types.Object]string{},
	}
	for _, name := range slices.Concat(reservedFields, []string{u.named.Frame, u.named.Locals, u.named.Machine}) {
		n.fields[name] = true // the types are fields of what embeds them
	}
	ast.Inspect(u.node, n.note)
	n.recv = n.first("f", "frame")
	n.task = n.first("t", "task")
	n.renewed = n.first("next", "copied")
	n.raise = n.first("raise", "goOn")
	n.finished = n.first("finished", "ended")
	n.defers = n.first("defers", "deferredCalls")
	n.again = n.first("again", "repeat")
	n.moveNext = n.first("moveNext", "moveOn")
	n.step = n.first("step", "runStep")
	n.panicking = n.first("p", "panicking")
	n.callee = n.first("m", "machine")
	n.loops = n.first("loops", "openLoops")
	n.fields[n.defers], n.fields[n.moveNext], n.fields[n.step], n.fields[n.loops] = true, true, true, true
	return n
}

func (n *namer) note(node ast.Node) bool {
	id, ok := node.(*ast.Ident)
	if !ok {
		return true
	}
	n.mentions[id.Name] = true
	if obj := n.u.info.Uses[id]; obj != nil && !n.own(obj) {
		n.foreign[id.Name] = true
		if !within(n.u.fn.Decl, obj.Pos()) {
			n.outer[id.Name] = true
		}
	}
	if obj := n.u.info.Defs[id]; obj != nil && types.Universe.Lookup(id.Name) != nil {
		n.hidden[id.Name] = true
	}
	return true
}

// own reports whether obj is a variable, field or label of the function itself.
func (n *namer) own(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField() || within(n.u.fn.Decl, obj.Pos())
	case *types.Func:
		return obj.Signature().Recv() != nil
	case *types.Label:
		return true
	}
	return false
}

// first is the first of the names that is free, or the last with a number.
func (n *namer) first(names ...string) string {
	for _, name := range names {
		if n.isFree(name) && n.safe(name) {
			n.used[name] = true
			return name
		}
	}
	return n.fresh(names[len(names)-1])
}

// safe reports whether a local may have the name without hiding anything of the
// package, an import, or the predeclared names.
func (n *namer) safe(name string) bool {
	if n.u.fn.Package.Names[name] || types.Universe.Lookup(name) != nil {
		return false
	}
	// Names of locals are never given to imports; others are reserved by asking.
	return n.u.imports.Safe(name)
}

func (n *namer) isFree(name string) bool { return !n.used[name] && !n.mentions[name] }

// fresh is stem with the first number that makes it new.
func (n *namer) fresh(stem string) string {
	for i := 1; ; i++ {
		name := stem + strconv.Itoa(i)
		if n.isFree(name) && !n.fields[name] && n.safe(name) {
			n.used[name], n.fields[name] = true, true
			return name
		}
	}
}

// numbered is stem with the number of a point, if that is free.
func (n *namer) numbered(stem string, number int) string {
	name := stem + strconv.Itoa(number)
	if n.fields[name] || n.mentions[name] {
		return n.fresh(stem)
	}
	n.fields[name], n.used[name] = true, true
	return name
}

// chooseNames names points and variables once it is known where they live.
func (u *unit) chooseNames() {
	n := u.names
	for i, p := range u.parks() {
		p.number = i + 1
		n.labelAs(p.resume, n.freeLabel("resume"+strconv.Itoa(p.number)))
		if p.resumed != nil {
			n.labelAs(p.resumed, n.freeLabel("resumed"+strconv.Itoa(p.number)))
		}
		if p.held != nil && p.held.slot.vars[0] == p.held {
			p.held.slot.field = n.numbered(p.held.slot.stem(), p.number)
		}
	}
	for i, v := range u.results {
		if v.name == "" || v.name == "_" {
			v.name = "result" + strconv.Itoa(i)
		}
	}
	inBlocks := map[int]map[string]bool{}
	for _, s := range u.slots {
		switch {
		case s.field != "":
		case s.vars[0].obj == nil:
			s.field = n.fresh(s.stem())
		default:
			s.field = n.ownField(s.stem())
		}
	}
	for _, v := range u.returned() {
		v.field = n.ownField(v.name)
	}
	for _, v := range u.all {
		if v.slot != nil {
			v.field = v.slot.field
		}
		switch {
		case v.slot != nil && v.obj == nil:
			v.local = v.field
		case v.obj == nil:
			v.local = n.fresh(v.name)
		case v.place != inBlock:
			v.local = n.ownLocal(v, nil)
		}
	}
	for _, v := range u.all {
		if v.place == inBlock && v.obj != nil {
			if inBlocks[v.stretch] == nil {
				inBlocks[v.stretch] = map[string]bool{}
			}
			v.local = n.ownLocal(v, inBlocks[v.stretch])
		}
	}
}

// ownField keeps the user's name for a field if it can.
func (n *namer) ownField(name string) string {
	if n.fields[name] || name == "_" {
		return n.another(name, func(s string) bool { return n.fields[s] }, n.fields)
	}
	n.fields[name] = true
	return name
}

// ownLocal keeps the user's name for a local of MoveNext if it can. block, if not
// nil, are the names of one block, which may come again in others.
func (n *namer) ownLocal(v *variable, block map[string]bool) string {
	taken := func(s string) bool {
		return n.used[s] || block[s] || n.foreign[s] || !n.safe(s)
	}
	into := n.used
	if block != nil {
		into = block
	}
	if taken(v.name) || v.name == "_" || v.aside || v.passed && v.result && n.u.hides(v) {
		return n.another(v.name, taken, into)
	}
	into[v.name] = true
	return v.name
}

// another is a variant of the user's name.
func (n *namer) another(name string, taken func(string) bool, into map[string]bool) string {
	if name == "_" {
		name = "blank"
	}
	for i := 2; ; i++ {
		s := name + strconv.Itoa(i)
		if !taken(s) && !n.mentions[s] && n.safe(s) {
			into[s] = true
			return s
		}
	}
}

// label is the name of a label. Those of the source keep theirs; the others are
// numbered as they are printed.
func (n *namer) label(l *label) string {
	if name, ok := n.labels[l]; ok {
		return name
	}
	return n.labelAs(l, n.freeLabel(l.want))
}

func (n *namer) labelAs(l *label, name string) string {
	n.labels[l] = name
	n.taken[name] = true
	return name
}

func (n *namer) freeLabel(want string) string {
	if want == "" {
		want = "label"
	}
	if !n.taken[want] && !n.kept[want] && !generatedLabels[want] {
		return want
	}
	for i := 1; ; i++ {
		name := want + strconv.Itoa(i)
		if !n.taken[name] && !n.kept[name] {
			return name
		}
	}
}

// generatedLabels are the stems of labels that always have a number.
var generatedLabels = map[string]bool{
	"for": true, "range": true, "next": true, "endFor": true, "endRange": true, "endIf": true,
	"else": true, "case": true, "endSwitch": true, "cond": true, "move": true, "leave": true, "done": true,
}

// object is the name of a constant that has moved.
func (n *namer) object(obj types.Object) string {
	if name, ok := n.objects[obj]; ok {
		return name
	}
	taken := func(s string) bool { return n.used[s] || n.outer[s] || !n.safe(s) }
	name := obj.Name()
	if taken(name) {
		name = n.another(name, taken, n.used)
	}
	n.used[name] = true
	n.objects[obj] = name
	return name
}
