package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Type returns the declarations that are generated for an annotated type. The finding, if any, is
// that a signature cannot be written.
func Type(t *source.AnnotatedType, im *typetext.Imports) ([]byte, []source.Diagnostic) {
	if t.Interface() != nil {
		return interfacePair(t, im)
	}
	return functionTypeOf(t, im)
}

func functionTypeOf(t *source.AnnotatedType, im *typetext.Imports) ([]byte, []source.Diagnostic) {
	if _, ok := im.PredeclaredName("nil"); !ok {
		return nil, []source.Diagnostic{hiddenName(t.Package.Extent(t.Spec.Name), "nil")}
	}
	w, err := typeWriterOf(t, im)
	if err != nil {
		return nil, []source.Diagnostic{unnameableAnnotatedType(t, err)}
	}
	return []byte(w.of() + w.enter()), nil
}

// functionType is a function type as the generated file writes it.
type functionType struct {
	name, params, args string // with the type parameters
	machine            string // the qualifier of the runtime
	sig                typetext.Signature
	results            []string
	returned           []string // names of the results

	run, value, plain, entry, ask string // names
}

func typeWriterOf(t *source.AnnotatedType, im *typetext.Imports) (*functionType, error) {
	named, sig := t.Object.Type().(*types.Named), t.Signature()
	w := &functionType{name: t.Object.Name(), machine: im.Path(source.StatemachinePath, "statemachine")}
	var err error
	if w.params, w.args, err = im.TypeParams(named.TypeParams()); err != nil {
		return nil, err
	}
	if w.sig, err = im.Params(sig); err != nil {
		return nil, err
	}
	for v := range sig.Results().Variables() {
		text, err := im.TypeString(v.Type())
		if err != nil {
			return nil, err
		}
		w.results = append(w.results, text)
	}
	taken := w.sig.Names()
	fresh := func(name string) string { return typetext.Free(im.Fresh(name), taken) }
	for i := range w.results {
		w.returned = append(w.returned, fresh(fmt.Sprintf("result%d", i)))
	}
	w.run, w.value, w.plain, w.entry, w.ask = fresh("run"), fresh("value"), fresh("plain"), fresh("enter"), fresh("ask")
	return w, nil
}

// types returns the types of the parameters.
func (w *functionType) types() string {
	var list []string
	for _, p := range w.sig.Params {
		typ := p.Type
		if p.Variadic {
			typ = "..." + typ
		}
		list = append(list, typ)
	}
	return strings.Join(list, ", ")
}

// callee is the type of a value that has suspended.
func (w *functionType) callee() string {
	return fmt.Sprintf("interface{ Results(*%s.Run) (%s) }", w.machine, strings.Join(w.results, ", "))
}

// entered are the results of an entry.
func (w *functionType) entered() string {
	return "(" + strings.Join(append([]string{w.callee()}, w.results...), ", ") + ")"
}

func (w *functionType) entryType() string {
	return fmt.Sprintf("func(*%s.Run, %s) %s", w.machine, w.types(), w.entered())
}

// of returns the function that makes a value.
func (w *functionType) of() string {
	var b strings.Builder
	b.WriteString("\n")
	b.WriteString(source.Comment("%[1]sOf makes a value of [%[1]s]: plain code that calls it runs %[2]s, and machines enter %[3]s.", w.name, w.plain, w.entry))
	list, give := "", ""
	if len(w.results) > 0 {
		var named []string
		for i, r := range w.results {
			named = append(named, w.returned[i]+" "+r)
		}
		list, give = " ("+strings.Join(named, ", ")+")", "return "
	}
	fmt.Fprintf(&b, "func %[1]sOf%[2]s(%[3]s func(%[4]s) (%[5]s), %[6]s %[7]s) %[1]s%[8]s {\n",
		w.name, w.params, w.plain, w.types(), strings.Join(w.results, ", "), w.entry, w.entryType(), w.args)
	fmt.Fprintf(&b, "if %s == nil || %s == nil {\nreturn %s\n}\n", w.plain, w.entry, w.plain)
	fmt.Fprintf(&b, "return %s.Kept(%s%s(func(%s)%s {\n", w.machine, w.name, w.args, w.sig.ParamList(), list)
	fmt.Fprintf(&b, "if %s.Answers(%s, %s) {\nreturn\n}\n", w.machine, w.sig.Params[0].Name, w.entry)
	fmt.Fprintf(&b, "%s%s(%s)\n}))\n}\n", give, w.plain, w.sig.ArgList())
	return b.String()
}

// enter returns the function that enters a value.
func (w *functionType) enter() string {
	var b strings.Builder
	b.WriteString("\n")
	b.WriteString(source.Comment("%[1]sEnter enters a value of [%[1]s] for a machine. It returns the results or, suspended, the frame that will have them. A value without an entry is called, and may block.", w.name))
	fmt.Fprintf(&b, "func %[1]sEnter%[2]s(%[3]s *%[4]s.Run, %[5]s %[1]s%[6]s, %[7]s) %[8]s {\n",
		w.name, w.params, w.run, w.machine, w.value, w.args, w.sig.ParamList(), w.entered())
	first, rest := w.sig.Params[0], ""
	if i := strings.Index(w.sig.ArgList(), ","); i >= 0 {
		rest = w.sig.ArgList()[i:]
	}
	fmt.Fprintf(&b, "%s := %s.EntryOf[%s](%s, func(%s %s) { %s(%s%s) })\n",
		w.entry, w.machine, w.entryType(), w.value, w.ask, first.Type, w.value, w.ask, rest)
	fmt.Fprintf(&b, "if %s != nil {\nreturn %s(%s, %s)\n}\n", w.entry, w.entry, w.run, w.sig.ArgList())
	if len(w.results) == 0 {
		fmt.Fprintf(&b, "%s(%s)\nreturn nil\n}\n", w.value, w.sig.ArgList())
		return b.String()
	}
	returned := strings.Join(w.returned, ", ")
	fmt.Fprintf(&b, "%s := %s(%s)\nreturn nil, %s\n}\n", returned, w.value, w.sig.ArgList(), returned)
	return b.String()
}
