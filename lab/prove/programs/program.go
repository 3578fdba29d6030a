package programs

import (
	"fmt"
	"slices"
	"strings"
)

// program writes everything: the functions, each of which may call the earlier ones, and the one
// that is run.
func (w *writer) program() {
	w.out.WriteString("package batch\n\nimport (\n\t\"context\"\n\n\t\"example.com/proof/trace\"\n\t\"github.com/movenext/movenext/job\"\n)\n\nvar _ job.Job[int]\n")
	w.scope = &scope{vars: []*variable{
		{name: "Gg0", typ: integer}, {name: "Gg1", typ: integer},
		{name: "Ggs", typ: text}, {name: "Ggb", typ: boolean},
	}}
	for i := range w.size.functions {
		w.function(i)
	}
	w.line("")
	w.line("//movenext:async")
	w.line("func §Run(ctx context.Context, t *trace.T) (n int, err error) {")
	scope := &scope{up: w.scope, vars: []*variable{{name: "n", typ: integer}, {name: "err", typ: failure}}}
	w.functionBody(scope, []typ{integer, failure}, scope.vars, frame{suspends: true, run: true})
}

// function writes a function with a random signature.
func (w *writer) function(i int) {
	f := signature{name: fmt.Sprintf("§f%d", i), async: !w.chance(6), generic: w.chance(3)}
	s := &scope{up: w.scope}
	params := []string{"t *trace.T"}
	head := "func " + f.name
	w.params = nil
	types := make([]typ, w.r.IntN(4))
	for i := range types {
		types[i] = passed[w.r.IntN(len(passed))]
	}
	if f.generic {
		head += w.typeParameters()
		params = append(params, "v V")
		s.vars = append(s.vars, &variable{name: "v", typ: param, fixed: true})
		// so that a call determines the type parameters
		types = append(append([]typ(nil), w.params...), types...)
	}
	for _, t := range types {
		f.params = append(f.params, t.actual())
		v := &variable{name: fmt.Sprint("a", len(s.vars)), typ: t}
		s.vars = append(s.vars, v)
		params = append(params, v.name+" "+string(t))
	}
	named := w.chance(2)
	var results []string
	var resultVars []*variable
	within := slices.Clone(returned[w.r.IntN(len(returned))])
	for i, t := range within {
		f.results = append(f.results, t)
		for _, p := range w.params {
			if p.actual() == t && w.chance(2) {
				within[i] = p
			}
		}
	}
	for _, t := range within {
		if !named {
			results = append(results, string(t))
			continue
		}
		v := &variable{name: fmt.Sprint("r", len(s.vars)), typ: t}
		s.vars, resultVars = append(s.vars, v), append(resultVars, v)
		results = append(results, v.name+" "+string(t))
	}
	w.line("")
	if f.async {
		w.line("//movenext:async")
	}
	w.line("%s(%s) (%s) {", head, strings.Join(params, ", "), strings.Join(results, ", "))
	w.functionBody(s, within, resultVars, frame{suspends: f.async})
	w.funcs, w.params = append(w.funcs, f), nil
}

// functionBody writes a body and the closing brace.
func (w *writer) functionBody(s *scope, types []typ, results []*variable, fn frame) {
	outer := w.scope
	w.scope = s
	fn.deferring, fn.results, fn.types, fn.budget = w.chance(2), results, types, w.size.statements
	w.fn = &fn
	w.indent++
	w.line("t.Burn()")
	if w.fn.types == nil {
		w.fn.types = []typ{}
	}
	for w.fn.budget > 0 {
		w.statement()
	}
	w.logAll()
	w.fn.results = results
	w.returnStatement()
	w.line("panic(\"not reached\")")
	w.indent--
	w.line("}")
	w.scope, w.fn = outer, nil
}
