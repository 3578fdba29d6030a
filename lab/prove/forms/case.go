package forms

import (
	"fmt"
	"strings"

	"github.com/movenext/movenext/lab/prove/programs"
)

// hole is a place for an operand in a template.
type hole struct {
	kind     byte // 0, '&', '=', '!' or ';'
	sym      byte
	one, two string // values to use instead of the symbol's; "": none
}

// parse splits a template into texts and the holes between them.
func parse(template string) (texts []string, holes []hole) {
	for {
		before, rest, ok := strings.Cut(template, "«")
		texts = append(texts, before)
		if !ok {
			return texts, holes
		}
		inner, after, _ := strings.Cut(rest, "»")
		template = after
		var h hole
		if strings.IndexByte("&=;!", inner[0]) >= 0 {
			h.kind, inner = inner[0], inner[1:]
		}
		name, values, _ := strings.Cut(inner, "=")
		if name != "" {
			h.sym = name[0]
		}
		h.one, h.two, _ = strings.Cut(values, ",")
		holes = append(holes, h)
	}
}

// String returns the hole as written in a template.
func (h hole) String() string {
	s := string(h.sym)
	if h.kind != 0 {
		s = strings.TrimRight(string(h.kind)+s, "\x00")
	}
	if h.one != "" {
		s += "=" + h.one + "," + h.two
	}
	return "«" + s + "»"
}

// first returns the value of an operand before it is changed.
func (h hole) first() string { return h.value(h.one, "1") }

// second returns the value to which it is changed.
func (h hole) second() string { return h.value(h.two, "2") }

// value returns a constant, or the program's parameter that has the symbol's value.
func (h hole) value(given, which string) string {
	if given != "" {
		return fmt.Sprintf("@%c(%s)", h.sym, given)
	}
	if strings.IndexByte("IUDSB", h.sym) >= 0 {
		s := symbols[h.sym]
		return fmt.Sprintf("@%c(%s)", h.sym, map[string]string{"1": s.one, "2": s.two}[which])
	}
	return "v" + string(h.sym) + which
}

// Case is one program of the small world.
type Case struct {
	Types    Types
	Size     int
	template string // with holes
	form     string // the form that it is a case of, in words
	focus    int    // index of the hole that suspends
	operands []int  // for each hole; the focus's own is ignored
}

// Form returns the form with its types, as reports print it.
func (c Case) Form() string { return string(c.Types) + " " + c.form }

// String identifies the case.
func (c Case) String() string {
	_, holes := parse(c.template)
	var list []string
	for i, h := range holes {
		switch {
		case i == c.focus:
			list = append(list, "suspends")
		case h.kind != ';':
			list = append(list, operands[c.operands[i]].name)
		}
	}
	return c.Form() + ": " + strings.Join(list, ", ")
}

// IsGo reports whether a source written by [Case.Source] type-checks.
func IsGo(source string) bool { return len(programs.CheckBeside(Preamble+twins, source)) == 0 }

// generic reports whether the names of types stand for type parameters.
func (t Types) generic() bool { return t == Core || t == Several || t == Opaque }

// Source returns the program as a file of package batch, in which all names begin with name. It
// returns "" if there is no such program: where types are parameters and the program mentions
// none, it would equal one with plain types.
func (c Case) Source(name string) string {
	body := c.body()
	used, parameters := c.values(body)
	if len(parameters) == 0 && c.Types.generic() {
		return ""
	}
	var b strings.Builder
	b.WriteString("package batch\n\nimport (\n\t\"context\"\n\n\t\"example.com/proof/trace\"\n)\n\n// ")
	b.WriteString(strings.ReplaceAll(c.String(), "\n", " ") + "\n//\n//movenext:async\nfunc " + name)
	var formal, given []string
	for _, sym := range parameters {
		formal = append(formal, string(sym)+" "+c.Types.expand(c.Types.constraint(sym)))
		given = append(given, actual(sym))
	}
	instance := name
	if len(formal) > 0 {
		b.WriteString("[" + strings.Join(formal, ", ") + "]")
		instance += "[" + strings.Join(given, ", ") + "]"
	}
	params, args := "", ""
	for _, sym := range used {
		params += fmt.Sprintf(", v%[1]c1, v%[1]c2 %[2]s", sym, c.Types.name(sym))
		args += ", " + c.Types.argument(sym, symbols[sym].one) + ", " + c.Types.argument(sym, symbols[sym].two)
	}
	body = c.Types.expand(strings.ReplaceAll(body, "§", name))
	if params == "" && instance == name {
		fmt.Fprintf(&b, "Run(_ context.Context, t *trace.T) (n int, err error) {\n%s}\n", body)
		return b.String()
	}
	fmt.Fprintf(&b, "(t *trace.T%s) (n int, err error) {\n%s}\n\n", params, body)
	fmt.Fprintf(&b, "//movenext:async\nfunc %sRun(_ context.Context, t *trace.T) (int, error) {\n\treturn %s(t%s)\n}\n", name, instance, args)
	return b.String()
}

// values returns the symbols whose values a body mentions, and the type parameters that it needs.
func (c Case) values(body string) (used, parameters []byte) {
	mentioned := body
	for _, sym := range []byte(symbolsInOrder) {
		if strings.Contains(body, "v"+string(sym)+"1") || strings.Contains(body, "v"+string(sym)+"2") {
			used = append(used, sym)
			mentioned += "@" + string(sym)
		}
	}
	return used, c.Types.parameters(mentioned)
}

// body returns the body of the program's function: the operands, the changes by the focus, the
// form, and the log of all values after it.
func (c Case) body() string {
	texts, holes := parse(c.template)
	var setup, change, after []string
	statement := texts[0]
	for i, h := range holes {
		var text string
		switch o := &operands[c.operands[i]]; {
		case i == c.focus:
			_, text = suspending(h)
		case h.kind == ';':
			text = `t.Log("body")`
		default:
			setup = append(setup, o.fill(o.setup, h, i))
			change = append(change, o.fill(o.change, h, i))
			text = o.fill(o.text, h, i)
			if h.kind != '=' && strings.HasPrefix(text, "*") {
				text = "(" + text + ")"
			}
			if !o.blank {
				after = append(after, "\tt.Log(\"then %v %v\", "+logArguments(h.sym, text)+")\n")
			}
		}
		statement += text + texts[i+1]
	}
	var b strings.Builder
	lines(&b, setup)
	b.WriteString("\tchange := func() {\n")
	lines(&b, change)
	b.WriteString("\t}\n\t" + statement + "\n")
	b.WriteString(strings.Join(after, ""))
	b.WriteString("\treturn\n")
	return b.String()
}

// logArguments returns the arguments that log an operand.
func logArguments(sym byte, text string) string {
	s := strings.ReplaceAll(symbols[sym].show, "§", text)
	if !strings.Contains(s, ", ") {
		s += ", 0"
	}
	return s
}

func lines(b *strings.Builder, list []string) {
	for _, line := range list {
		if line != "" {
			b.WriteString("\t" + line + "\n")
		}
	}
}
