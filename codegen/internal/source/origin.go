package source

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"hash"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// # Digests of functions
//
// In a generated file, the code of a function begins with a digest of the function's source:
//
//	// Digest of Shop.Order: 0123456789abcdef
//
// So whoever reads both files knows whether the function has changed since, without generating
// anything: see package stale.
//
// The digest changes whenever the old machine may do something else than the function:
//
//	the tokens of the declaration: receiver, name, signature, body
//	its directives for the generator, which name durable functions and points
//	the imports that it may name: after math/rand has become math/rand/v2, the same tokens
//	call another function
//
// It stays when the function is moved, formatted or commented, so whoever does that need not
// generate before the tests run. (Lines in stacks are of the old place until then. Command check
// compares whole files, and reports that.) It does not cover what other declarations mean to the
// function, since that needs types: where the meaning of a name changes, old machines mostly no
// longer compile, and check finds the rest.
//
// A digest of the whole file, or a list at its end, would be shorter. But then two branches that
// change two functions change the same or adjacent lines, and each merge conflicts there. Digests
// that are next to the code of their functions conflict only where that code does, too.

var originLine = regexp.MustCompile(`(?m)^// Digest of (\S+): ([0-9a-f]{16})\r?$`)

// OriginLine returns the line with the digest of the function.
func (f *Function) OriginLine() string {
	return fmt.Sprintf("// Digest of %s: %s\n", DeclaredName(f.Decl), Origin(f.File.Syntax, f.Decl, f.File.Source))
}

// Origins returns the digests in a generated file by the names of their functions.
func Origins(data []byte) map[string]string {
	all := map[string]string{}
	for _, m := range originLine.FindAllSubmatch(data, -1) {
		all[string(m[1])] = string(m[2])
	}
	return all
}

// DeclaredName returns the name of a function, or of a method with that of its receiver's type.
func DeclaredName(decl *ast.FuncDecl) string {
	if recv := ReceiverName(decl); recv != "" {
		return recv + "." + decl.Name.Name
	}
	return decl.Name.Name
}

// HasTwin reports whether the doc comment of decl asks for generated code, of whatever kind.
func HasTwin(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		directive := strings.Fields(c.Text)[0]
		return directive == DirectiveAsync || directive == DirectiveDurable
	})
}

// Origin returns the digest of a function in a file with this text.
func Origin(file *ast.File, decl *ast.FuncDecl, text []byte) string {
	from := decl.Pos()
	if decl.Doc != nil {
		from = decl.Doc.Pos()
	}
	sum := sha256.New()
	qualifiers := writeTokens(sum, text[from-file.FileStart:decl.End()-file.FileStart])
	writeImports(sum, file, qualifiers)
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// writeTokens writes the tokens of a text and its directives. It returns the identifiers that may
// be names of imports.
func writeTokens(sum hash.Hash, text []byte) (qualifiers map[string]bool) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	qualifiers = map[string]bool{}
	previous := ""
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return qualifiers
		case token.COMMENT:
			if lit = strings.TrimRight(lit, " \t\r"); !strings.HasPrefix(lit, DirectivePrefix) || IsExcuse(lit) {
				continue
			}
		case token.SEMICOLON:
			lit = "" // "\n" where a line ends
		case token.PERIOD:
			qualifiers[previous] = true
		}
		previous = lit
		fmt.Fprintf(sum, "%s %q\n", tok, lit)
	}
}

// writeImports writes the imports that one of the qualifiers may name. Only the compiler knows the
// name of a package from its path. An unnamed import counts if the qualifier is any part of its
// path: yaml of gopkg.in/yaml.v3. One import too many costs a needless run of the generator if it
// changes.
func writeImports(sum hash.Hash, file *ast.File, qualifiers map[string]bool) {
	used := map[string]bool{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name, names := "", strings.FieldsFunc(path, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if spec.Name != nil {
			name, names = spec.Name.Name, []string{spec.Name.Name}
		}
		if name == "." || slices.ContainsFunc(names, func(name string) bool { return qualifiers[name] }) {
			used[fmt.Sprintf("import %s %q\n", name, path)] = true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(used)) {
		sum.Write([]byte(line))
	}
}
