// A generator in two hundred lines: assignments, loops, awaits. It prints the result of
// each pass over a function.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"strings"
)

const source = `package p

func f(a, b int) int {
	x := g(a) + await(b)
	for x < 100 {
		x = x + await(h(x))
	}
	return x
}
`

func main() {
	f, err := parse(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &spiller{}
	f.Body.List = s.block(f.Body.List)
	fmt.Println("--- spilled")
	for _, stmt := range f.Body.List {
		fmt.Println(text(stmt))
	}
	l := &lowerer{}
	l.block(f.Body.List)
	fields := hoist(l.out)
	fmt.Println("--- fields:", strings.Join(fields, " "))
	fmt.Println("--- emitted")
	fmt.Print(emit(l.out, fields))
}

// parse returns the function of a file.
func parse(source string) (*ast.FuncDecl, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "source.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return file.Decls[0].(*ast.FuncDecl), nil
}

// text prints a piece of syntax.
func text(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return b.String()
}

// names returns the variables that an expression reads. The functions that it calls are
// not variables here.
func names(e ast.Expr) (all []string) {
	called := map[*ast.Ident]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok {
				called[f] = true
			}
		case *ast.Ident:
			if !called[n] {
				all = append(all, n.Name)
			}
		}
		return true
	})
	return all
}

// rename replaces each variable in an expression by the text that field returns.
func rename(expression string, variables []string, field func(string) string) string {
	for _, v := range variables {
		word := regexp.MustCompile(`(^|[^.\w])` + v + `\b`)
		expression = word.ReplaceAllString(expression, "${1}"+field(v))
	}
	return expression
}
