package policy

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// link matches what a comment names in brackets: a name of the package, or one
// after the name of another package.
var link = regexp.MustCompile(`\[\*?([\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*){0,2})\]`)

// majorVersion matches the end of an import path that is not part of the package's name.
var majorVersion = regexp.MustCompile(`/v\d+$`)

// code reports whether a character next to a pair of brackets makes it a piece of code: a type
// argument, an index, the length of an array, a quotation.
func code(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_()[]\"", r)
}

// links checks that each name that a comment puts in brackets exists: in the same package, or in
// a package of this module that the package imports. It does not look up names in other modules
// and in the standard library. A package's first sentence has none. Links to unexported names
// count: documentation does not show them, but editors follow them.
func links(t *Tree) []Finding {
	order, byFolder := folders(t.Main())
	scopes := map[string]*scope{}
	for _, dir := range order {
		scopes[dir] = t.scopeOf(byFolder[dir])
	}
	var found []Finding
	for _, dir := range order {
		for _, f := range byFolder[dir] {
			if f.Test || f.Generated {
				continue
			}
			sentence, _, _ := strings.Cut(strings.ReplaceAll(f.Syntax.Doc.Text(), "\n", " "), ". ")
			if first := targetsIn(sentence); len(first) > 0 {
				found = append(found, Finding{
					Path: f.Path,
					Line: f.lineIn(f.Syntax.Doc, first[0]),
					Name: first[0],
					What: fmt.Sprintf("the first sentence of a package has the link [%s], and lists of packages show its brackets", first[0]),
					Mend: "move the link to the next sentence",
				})
			}
			for _, group := range f.Syntax.Comments {
				for _, target := range targets(group.Text()) {
					why := scopes[dir].missing(target, scopes)
					if why == "" {
						continue
					}
					found = append(found, Finding{
						Path: f.Path,
						Line: f.lineIn(group, target),
						Name: target,
						What: fmt.Sprintf("the link [%s] leads nowhere: %s", target, why),
						Mend: "write the present name, or the whole import path if the package does not import it; brackets around a word that is not a name go",
					})
				}
			}
		}
	}
	return found
}

// targets returns what a comment names in brackets, except in code blocks and where it
// defines the link itself.
func targets(text string) []string {
	var all []string
	inText := func(parts []comment.Text) {
		for _, part := range parts {
			if plain, ok := part.(comment.Plain); ok {
				all = append(all, targetsIn(string(plain))...)
			}
		}
	}
	inBlock := func(b comment.Block) {
		switch b := b.(type) {
		case *comment.Paragraph:
			inText(b.Text)
		case *comment.Heading:
			inText(b.Text)
		}
	}
	for _, b := range new(comment.Parser).Parse(text).Content {
		inBlock(b)
		if list, ok := b.(*comment.List); ok {
			for _, item := range list.Items {
				for _, inner := range item.Content {
					inBlock(inner)
				}
			}
		}
	}
	return all
}

func targetsIn(text string) []string {
	var all []string
	for _, at := range link.FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if !code(before) && !code(after) {
			all = append(all, text[at[2]:at[3]])
		}
	}
	return all
}

// lineIn returns the line of the first link to target in a comment.
func (f *GoFile) lineIn(group *ast.CommentGroup, target string) int {
	for _, c := range group.List {
		for _, brackets := range []string{"[" + target + "]", "[*" + target + "]"} {
			if at := strings.Index(c.Text, brackets); at >= 0 {
				return f.Line(c.Pos() + token.Pos(at))
			}
		}
	}
	return f.Line(group.Pos())
}

// scope is what the comments of a package can name.
type scope struct {
	name     string            // of the package
	declared map[string]bool   // T for a declaration, T.M for a method or a field
	imports  map[string]string // by name in the files: a folder of this module, or "" for another
}

// scopeOf returns the scope of the package that consists of the given files. What only a test
// declares or imports does not count: documentation does not know it.
func (t *Tree) scopeOf(files []*GoFile) *scope {
	s := &scope{declared: map[string]bool{}, imports: map[string]string{}}
	for _, f := range files {
		if f.Test {
			continue
		}
		s.name = f.Syntax.Name.Name
		for _, spec := range f.Syntax.Imports {
			t.bring(s, spec)
		}
		for _, decl := range f.Syntax.Decls {
			s.declare(decl)
		}
	}
	return s
}

// bring adds an import to the scope.
func (t *Tree) bring(s *scope, spec *ast.ImportSpec) {
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return // the parser accepts it; the compiler will not
	}
	folder, ours := t.folderOf(importPath)
	if !ours {
		folder = ""
	}
	name := path.Base(majorVersion.ReplaceAllString(importPath, ""))
	if spec.Name != nil {
		name = spec.Name.Name
	}
	s.imports[name] = folder
}

func (s *scope) declare(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		s.declared[funcName(d)] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.declared[spec.Name.Name] = true
				s.declareMembers(spec)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					s.declared[name.Name] = true
				}
			}
		}
	}
}

// declareMembers adds the fields of a struct, or the methods of an interface.
func (s *scope) declareMembers(spec *ast.TypeSpec) {
	var members *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		members = typ.Fields
	case *ast.InterfaceType:
		members = typ.Methods
	default:
		return
	}
	for _, field := range members.List {
		for _, name := range field.Names {
			s.declared[spec.Name.Name+"."+name.Name] = true
		}
		if len(field.Names) == 0 {
			s.declared[spec.Name.Name+"."+embeddedName(field.Type)] = true
		}
	}
}

func embeddedName(e ast.Expr) string {
	if pointer, ok := e.(*ast.StarExpr); ok {
		e = pointer.X
	}
	return typeName(e)
}

// missing returns why a link in the package's comments leads nowhere, or "".
func (s *scope) missing(target string, byFolder map[string]*scope) string {
	pkg, name, qualified := strings.Cut(target, ".")
	if folder, imported := s.imports[pkg]; imported {
		switch {
		case !qualified || folder == "":
			return ""
		case byFolder[folder] == nil:
			return folder + " does not exist"
		case !byFolder[folder].declared[name]:
			return folder + " does not declare " + name
		}
		return ""
	}
	_, known := comment.DefaultLookupPackage(pkg)
	switch {
	case known || s.declared[target] || target == s.name || pkg == s.name && s.declared[name]:
		return ""
	case !qualified || pkg == s.name:
		return "the package does not declare " + target
	case s.declared[pkg]:
		return pkg + " has no method or field " + name
	}
	return "the package does not import " + pkg
}
