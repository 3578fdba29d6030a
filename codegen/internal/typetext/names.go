package typetext

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Names of generated declarations, and how they avoid conflicts.
//
// FAsync is fixed, since the rule of twins requires it: if it is taken, the function already has
// a twin and the annotation is an error. FEnter, fNested, FFrame, FLocals, FArgs and FMachine may
// become FEnter2, FEnter3, … The choice must not depend on the build configuration or on whether
// tests are loaded; otherwise the same source would lead to different files. So it is based on
// syntax alone, over every file of the folder with the same package clause.

// Declared contains the declarations of one package scope, read from syntax.
type Declared struct {
	Scope   map[string]bool            // package-level names
	members map[string]map[string]bool // methods and fields by type name
	pos     map[string]token.Pos       // of package-level names and of "T.member"
	stems   map[string]bool            // prefixes of the names declared for annotated functions

	Nearer  map[string]bool      // names of imports, and of type parameters of annotated functions
	imports map[string]token.Pos // of the names of imports
}

// NewDeclared returns a scope without declarations.
func NewDeclared() *Declared {
	return &Declared{
		Scope:   map[string]bool{},
		members: map[string]map[string]bool{},
		pos:     map[string]token.Pos{},
		stems:   map[string]bool{},
		Nearer:  map[string]bool{},
		imports: map[string]token.Pos{},
	}
}

// AddFile records the declarations of one file.
func (d *Declared) AddFile(file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.addFunc(decl)
			if source.IsAnnotated(decl) {
				maps.Copy(d.Nearer, TypeParamNames(decl))
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.addSpec(spec)
			}
		}
	}
}

func (d *Declared) addFunc(decl *ast.FuncDecl) {
	if decl.Recv != nil {
		d.addMember(source.ReceiverName(decl), decl.Name)
		return
	}
	if name := decl.Name.Name; name != "init" && name != "_" {
		d.addScope(decl.Name)
	}
}

func (d *Declared) addSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			d.addScope(id)
		}
	case *ast.ImportSpec:
		d.addImport(spec)
	case *ast.TypeSpec:
		d.addScope(spec.Name)
		switch typ := spec.Type.(type) {
		case *ast.StructType:
			d.addFields(spec.Name.Name, typ.Fields)
		case *ast.InterfaceType:
			d.addFields(spec.Name.Name, typ.Methods)
		}
	}
}

// addImport records the name of an import, under which no file of the package can declare
// anything. If the source gives no name, it is usually the end of the path.
func (d *Declared) addImport(spec *ast.ImportSpec) {
	name, pos := path.Base(strings.Trim(spec.Path.Value, "`\"")), spec.Pos()
	if spec.Name != nil {
		name = spec.Name.Name
	}
	if name == "." || name == "_" {
		return
	}
	d.Nearer[name] = true
	if _, ok := d.imports[name]; !ok {
		d.imports[name] = pos
	}
}

func (d *Declared) addFields(typ string, fields *ast.FieldList) {
	for _, field := range fields.List {
		for _, id := range field.Names {
			d.addMember(typ, id)
		}
		if len(field.Names) == 0 {
			if id := source.BaseIdent(field.Type); id != nil {
				d.addMember(typ, id)
			}
		}
	}
}

func (d *Declared) addScope(id *ast.Ident) {
	d.Scope[id.Name] = true
	if _, ok := d.pos[id.Name]; !ok {
		d.pos[id.Name] = id.Pos()
	}
}

func (d *Declared) addMember(typ string, id *ast.Ident) {
	if d.members[typ] == nil {
		d.members[typ] = map[string]bool{}
	}
	d.members[typ][id.Name] = true
	if key := typ + "." + id.Name; d.pos[key] == token.NoPos {
		d.pos[key] = id.Pos()
	}
}

// FindTaken reports where FAsync of an annotated function is declared already.
func (d *Declared) FindTaken(decl *ast.FuncDecl) (token.Pos, bool) {
	twin := decl.Name.Name + "Async"
	if decl.Recv == nil {
		return d.Find(twin)
	}
	recv := source.ReceiverName(decl)
	return d.pos[recv+"."+twin], d.members[recv][twin]
}

// Find reports where a name of package scope or of an import is declared.
func (d *Declared) Find(name string) (token.Pos, bool) {
	if pos, ok := d.imports[name]; ok {
		return pos, true
	}
	return d.pos[name], d.Scope[name]
}

// Choose picks the names for decl and takes them.
func (d *Declared) Choose(decl *ast.FuncDecl) source.Names {
	name := decl.Name.Name
	names := source.Names{Async: name + "Async"}
	stem := name
	if decl.Recv == nil {
		names.Enter = Free(name+"Enter", d.Scope, d.Nearer)
		d.Scope[names.Async], d.Scope[names.Enter] = true, true
	} else {
		recv := source.ReceiverName(decl)
		stem = recvStem(recv, name)
		if d.members[recv] == nil {
			d.members[recv] = map[string]bool{}
		}
		names.Enter = Free(name+"Enter", d.members[recv])
		d.members[recv][names.Async], d.members[recv][names.Enter] = true, true
	}
	own := namesInSignature(decl)
	names.Frame = Free(stem+"Frame", d.Scope, d.Nearer, own)
	names.Locals = Free(stem+"Locals", d.Scope, d.Nearer, own)
	names.Args = Free(stem+"Args", d.Scope, d.Nearer, own)
	names.Machine = Free(stem+"Machine", d.Scope, d.Nearer, own)
	for _, name := range []string{names.Frame, names.Locals, names.Args, names.Machine} {
		d.Scope[name] = true
	}
	// shared by Fetch and fetch, and both may have literals
	names.Stem = Free(SetFirst(stem, false), d.stems)
	d.stems[names.Stem] = true
	return names
}

// ChooseNested picks the name of the entry for callers whose frames may be on the stack, and takes
// it. It is not exported, since only the same package calls it.
func (d *Declared) ChooseNested(decl *ast.FuncDecl) string {
	taken := d.Scope
	if decl.Recv != nil {
		taken = d.members[source.ReceiverName(decl)]
	}
	name := Free(SetFirst(decl.Name.Name, false)+"Nested", taken, d.Nearer)
	taken[name] = true
	return name
}

// ChooseVariable picks the names for a function that is generated as a variable and a frame, and
// takes them: the variable's name, in Async, is that of the function with a suffix. It reports
// where that name is declared already.
func (d *Declared) ChooseVariable(decl *ast.FuncDecl, suffix, frameSuffix string) (names source.Names, other token.Pos, ok bool) {
	stem := decl.Name.Name
	if decl.Recv != nil {
		stem = recvStem(source.ReceiverName(decl), stem)
	}
	names.Async = decl.Name.Name + suffix
	if pos, ok := d.imports[names.Async]; ok {
		return names, pos, false
	}
	if d.Scope[names.Async] {
		return names, d.pos[names.Async], false
	}
	names.Frame = Free(SetFirst(stem, false)+frameSuffix, d.Scope, d.Nearer)
	names.Stem = stem
	d.Scope[names.Async], d.Scope[names.Frame] = true, true
	d.pos[names.Async] = decl.Name.Pos()
	return names, token.NoPos, true
}

// namesInSignature returns the names that the types of a function's machine must not have: its
// entries have parameters of those names, which would hide the types.
func namesInSignature(decl *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	note := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	}
	if decl.Recv != nil {
		ast.Inspect(decl.Recv, note)
	}
	ast.Inspect(decl.Type, note)
	return names
}

// TypeParamNames returns the names of the type parameters of a function, or of its receiver.
func TypeParamNames(decl *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	if decl.Type.TypeParams != nil {
		for _, field := range decl.Type.TypeParams.List {
			for _, id := range field.Names {
				names[id.Name] = true
			}
		}
	}
	for _, id := range source.ReceiverParams(decl) {
		names[id.Name] = true
	}
	delete(names, "_")
	return names
}

// recvStem joins receiver type and method to a name that is exported exactly
// if the method is: a machine of another package has to name the frame even if
// it reached the method through a receiver that it cannot name.
func recvStem(recv, method string) string {
	first, _ := utf8.DecodeRuneInString(method)
	return SetFirst(recv, unicode.IsUpper(first)) + SetFirst(method, true)
}

// SetFirst returns s with its first letter in upper or lower case.
func SetFirst(s string, upper bool) string {
	r, n := utf8.DecodeRuneInString(s)
	if upper {
		return string(unicode.ToUpper(r)) + s[n:]
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// Free returns name, or name with the first number from 2 that is not taken.
func Free(name string, taken ...map[string]bool) string {
	isTaken := func(s string) bool {
		return slices.ContainsFunc(taken, func(names map[string]bool) bool { return names[s] })
	}
	if !isTaken(name) {
		return name
	}
	for i := 2; ; i++ {
		if variant := name + strconv.Itoa(i); !isTaken(variant) {
			return variant
		}
	}
}
