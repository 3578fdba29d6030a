package programs

import (
	"fmt"
	"strings"
)

// program writes everything: the functions, each of which may call those before
// it, and the one that is run.
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
	f := signature{name: fmt.Sprintf("§f%d", i), async: !w.chance(6), generic: w.chance(6)}
	s := &scope{up: w.scope}
	params := []string{"t *trace.T"}
	head := "func " + f.name
	if f.generic {
		head += "[V any]"
		params = append(params, "v V")
		s.vars = append(s.vars, &variable{name: "v", typ: param, fixed: true})
	}
	for range w.r.IntN(4) {
		t := passed[w.r.IntN(len(passed))]
		f.params = append(f.params, t)
		v := &variable{name: fmt.Sprint("a", len(s.vars)), typ: t}
		s.vars = append(s.vars, v)
		params = append(params, v.name+" "+string(t))
	}
	named := w.chance(2)
	var results []string
	var resultVars []*variable
	f.results = returned[w.r.IntN(len(returned))]
	for _, t := range f.results {
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
	w.functionBody(s, f.results, resultVars, frame{suspends: f.async})
	w.funcs = append(w.funcs, f)
}

// functionBody writes a body and the brace behind it.
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
