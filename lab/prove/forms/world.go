package forms

import "iter"

// show returns the form of a statement that only shows an expression.
func show(sym byte, expr string) string {
	return "r := " + expr + "\nt.Log(\"%v %v\", " + logArguments(sym, "r") + ")"
}

// Cases returns all programs up to a size, grouped by form.
func Cases(size int) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for _, types := range All {
			for f := range templates(size) {
				f.Types = types
				for c := range f.each {
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

// templates returns the statements and expressions up to a size, without operands.
func templates(size int) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for n := 1; n <= size; n++ {
			for _, sym := range []byte(symbolsInOrder) {
				for expr := range nest(sym, n) {
					if !yield(Case{Size: n, template: show(sym, expr), form: expr}) {
						return
					}
				}
			}
			for _, s := range statements {
				for s := range within(s, n-1) {
					if !yield(Case{Size: n, template: s, form: s}) {
						return
					}
				}
			}
		}
	}
}

// nest returns the expressions of a symbol that consist of n forms.
func nest(sym byte, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range expressions[sym] {
			for e := range within(e, n-1) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// within returns the texts that result from filling one hole of a template with an expression of
// n forms, or the template itself if n is 0.
func within(template string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if n == 0 {
			yield(template)
			return
		}
		texts, holes := parse(template)
		for i, h := range holes {
			if h.kind != 0 {
				continue
			}
			for e := range nest(h.sym, n) {
				if !yield(assemble(texts, holes, i, "("+e+")")) {
					return
				}
			}
		}
	}
}

// assemble returns a template with a text in one of its holes.
func assemble(texts []string, holes []hole, at int, text string) string {
	whole := texts[0]
	for i, h := range holes {
		if i == at {
			whole += text
		} else {
			whole += h.String()
		}
		whole += texts[i+1]
	}
	return whole
}

// each yields the cases of a template: every focus, with all operands of the other holes.
func (c Case) each(yield func(Case) bool) {
	_, holes := parse(c.template)
	for i, h := range holes {
		if h.kind == '!' {
			continue
		}
		c.focus = i
		for c.operands = range choices(holes, c.focus, c.Size) {
			if !yield(c) {
				return
			}
		}
	}
}

// deep are the operands used in expressions within expressions.
var deep = []int{captured, 3, 8, 14}

// choices returns the lists of operands. For at most one hole besides the focus, every kind
// occurs; for more holes, every kind occurs in one of them at a time.
func choices(holes []hole, focus, size int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		usual := make([]int, len(holes))
		for i := range usual {
			usual[i] = captured
		}
		if !yield(usual) {
			return
		}
		for i, h := range holes {
			if i == focus || h.kind == ';' {
				continue
			}
			for k := range operands {
				if k == captured || !operands[k].holds(h) || size > 1 && !isDeep(k) {
					continue
				}
				list := append([]int(nil), usual...)
				list[i] = k
				if !yield(list) {
					return
				}
			}
		}
	}
}

func isDeep(k int) bool {
	for _, d := range deep {
		if d == k {
			return true
		}
	}
	return false
}
