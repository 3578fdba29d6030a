package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
)

// function is a function of the language. All values are of type int, except promises of one.
type function struct {
	name   string
	params []param
	locals []string
	body   []statement
}

type param struct{ name, kind string }

// kinds are the types of parameters, and what they are in Go.
var kinds = map[string]string{"int": "int", "promise": "awaiter.Awaitable[int]"}

// statement is one of: name = expr, name = await expr, return expr, while expr {…}, and
// if expr {…} else {…}.
type statement struct {
	kind            string // "=", "await", "return", "while" or "if"
	name            string
	expr            []lexeme
	body, otherwise []statement
}

// lexeme is a word or a sign, as Go has them.
type lexeme struct {
	sign token.Token
	text string
}

// parser reads a file from left to right. After the first error it reads only the end.
type parser struct {
	scan scanner.Scanner
	file *token.File
	at   token.Pos
	now  lexeme
	f    *function // that is being read
	err  error
}

func parse(name string, source []byte) ([]*function, error) {
	p := &parser{file: token.NewFileSet().AddFile(name, -1, len(source))}
	p.scan.Init(p.file, source, func(at token.Position, text string) { p.at = p.file.Pos(at.Offset); p.fail(text) }, 0)
	p.next()
	var all []*function
	for p.now.sign != token.EOF {
		all = append(all, p.function())
	}
	return all, p.err
}

func (p *parser) fail(text string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: toy: %s", p.file.Position(p.at), text)
	}
	p.now = lexeme{sign: token.EOF}
}

// next advances, and returns the current lexeme. A line that ends after a name, a number, a return
// or a closing bracket ends with a semicolon: that is Go's own rule, in Go's own scanner.
func (p *parser) next() lexeme {
	before := p.now
	at, sign, text := p.scan.Scan()
	if p.err != nil {
		return lexeme{sign: token.EOF}
	}
	if !sign.IsLiteral() && sign != token.SEMICOLON {
		text = sign.String()
	}
	p.at, p.now = at, lexeme{sign, text}
	return before
}

func (p *parser) expect(text string) {
	if p.now.text != text && (text != ";" || p.now.sign != token.SEMICOLON) {
		p.fail(fmt.Sprintf("expected %q, found %q", text, p.now.text))
	}
	p.next()
}

func (p *parser) word() string {
	if p.now.sign != token.IDENT {
		p.fail(fmt.Sprintf("expected a name, found %q", p.now.text))
	}
	return p.next().text
}

func (p *parser) function() *function {
	p.expect("fn")
	p.f = &function{name: p.word()}
	p.expect("(")
	for p.now.sign != token.RPAREN && p.now.sign != token.EOF {
		name, kind := p.word(), p.word()
		if kinds[kind] == "" {
			p.fail(fmt.Sprintf("expected int or promise, found %q", kind))
		}
		p.f.params = append(p.f.params, param{name, kinds[kind]})
		if p.now.sign != token.RPAREN {
			p.expect(",")
		}
	}
	p.expect(")")
	p.f.body = p.block()
	p.expect(";")
	return p.f
}

func (p *parser) block() (list []statement) {
	p.expect("{")
	for p.now.sign != token.RBRACE && p.now.sign != token.EOF {
		if ends(list) {
			p.fail("nothing runs after a return")
		}
		list = append(list, p.statement())
		p.expect(";")
	}
	p.expect("}")
	return list
}

func (p *parser) statement() statement {
	switch first := p.now.text; first {
	case "return":
		p.next()
		return statement{kind: first, expr: p.expr(token.SEMICOLON)}
	case "if", "while":
		p.next()
		s := statement{kind: first, expr: p.expr(token.LBRACE), body: p.block()}
		if first == "if" && p.now.sign == token.ELSE {
			p.next()
			s.otherwise = p.block()
		}
		return s
	}
	s := statement{kind: "=", name: p.word()}
	isParam := func(known param) bool { return known.name == s.name }
	if !slices.Contains(p.f.locals, s.name) && !slices.ContainsFunc(p.f.params, isParam) {
		p.f.locals = append(p.f.locals, s.name)
	}
	p.expect("=")
	if p.now.text == "await" {
		p.next()
		s.kind = "await"
	}
	s.expr = p.expr(token.SEMICOLON)
	return s
}

// expr reads up to a sign, which stays. Go's compiler judges the expression later.
func (p *parser) expr(end token.Token) (all []lexeme) {
	for p.now.sign != end && p.now.sign != token.EOF {
		if p.now.text == "await" {
			p.fail("an await stands alone: name = await …")
		}
		all = append(all, p.next())
	}
	if len(all) == 0 {
		p.fail("expected an expression")
	}
	return all
}
