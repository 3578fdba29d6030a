package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// pairedMethod is a method of an annotated interface that has a twin in its pair.
type pairedMethod struct {
	name    string
	sig     typetext.Signature
	results source.Results
	arg     string // T of the job
}

// interfacePair returns the pair of an annotated interface, and the function that makes it; see
// source/interfaces.go.
func interfacePair(t *source.AnnotatedType, im *typetext.Imports) ([]byte, []source.Diagnostic) {
	text, err := pairText(t, im)
	if err != nil {
		return nil, []source.Diagnostic{unnameableAnnotatedType(t, err)}
	}
	return []byte(text), nil
}

func pairText(t *source.AnnotatedType, im *typetext.Imports) (string, error) {
	name := t.Object.Name()
	params, args, err := im.TypeParams(t.Object.Type().(*types.Named).TypeParams())
	if err != nil {
		return "", err
	}
	methods, err := pairedMethods(t, im)
	if err != nil {
		return "", err
	}
	pair, adapter := name+source.PairSuffix, im.Fresh("adapted"+name)
	impl, both, isPair := im.Fresh("impl"), im.Fresh("pair"), im.Fresh("ok")
	job := im.Path(source.JobPath, "job")

	var b strings.Builder
	fmt.Fprintf(&b, "\n%stype %s%s interface {\n%s%s\n", source.Comment("%s is [%s] with both forms of its methods.", pair, name), pair, params, name, args)
	for _, m := range methods {
		fmt.Fprintf(&b, "%sAsync(%s) *%s.Job[%s]\n", m.name, m.sig.ParamList(), job, m.arg)
	}
	fmt.Fprintf(&b, "}\n\n%s", source.Comment("%sOf returns %s with both forms: those that it has itself. A method that has only the plain form blocks.", name, impl))
	fmt.Fprintf(&b, "func %sOf%s(%s %s%s) %s%s {\n", name, params, impl, name, args, pair, args)
	fmt.Fprintf(&b, "if %[1]s, %[2]s := %[3]s.(%[4]s%[5]s); %[2]s {\nreturn %[1]s\n}\n", both, isPair, impl, pair, args)
	fmt.Fprintf(&b, "return %s%s{%s}\n}\n\n", adapter, args, impl)
	fmt.Fprintf(&b, "%stype %s%s struct{ %s%s }\n", source.Comment("%s has both forms of a [%s] that may lack some.", adapter, name), adapter, params, name, args)
	for _, m := range methods {
		b.WriteString(m.adapted(t, im, adapter+args))
	}
	return b.String(), nil
}

func pairedMethods(t *source.AnnotatedType, im *typetext.Imports) ([]pairedMethod, error) {
	var list []pairedMethod
	paired := map[string]bool{}
	for _, m := range source.PairedMethods(t.Syntax()) {
		paired[m.Names[0].Name] = true
	}
	for fn := range t.Interface().ExplicitMethods() {
		if !paired[fn.Name()] {
			continue
		}
		m := pairedMethod{name: fn.Name(), results: source.ResultsOf(fn.Signature())}
		var err error
		if m.sig, err = im.Params(fn.Signature()); err != nil {
			return nil, err
		}
		if m.arg, err = im.JobArgument(m.results); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// adapted returns the twin of a method of the adapter of t.
func (m pairedMethod) adapted(t *source.AnnotatedType, im *typetext.Imports, adapter string) string {
	names := m.sig.Names()
	fresh := func(name string) string { return typetext.Free(im.Fresh(name), names) }
	recv, twin, ok, embedded := fresh("adapter"), fresh("twin"), fresh("ok"), t.Object.Name()
	sig := m.sig
	sig.Receiver = &typetext.Param{Name: recv, Type: adapter}
	job, machine := im.Path(source.JobPath, "job"), im.Path(source.StatemachinePath, "statemachine")
	head := fmt.Sprintf("%sAsync(%s) *%s.Job[%s]", m.name, m.sig.ParamList(), job, m.arg)

	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc %s%s {\n", sig.ReceiverText(), head)
	fmt.Fprintf(&b, "if %[1]s, %[2]s := %[3]s.%[4]s.(interface{ %[5]s }); %[2]s {\nreturn %[1]s.%[6]sAsync(%[7]s)\n}\n", twin, ok, recv, embedded, head, m.name, m.sig.ArgList())
	call := fmt.Sprintf("%s.%s.%s(%s)", recv, embedded, m.name, m.sig.ArgList())
	failure, _ := im.PredeclaredName("error")
	value, err := fresh("value"), fresh("err")
	fmt.Fprintf(&b, "%s, %s := func() (%s, %s) {\n%s}()\n", value, err, m.arg, failure, plainBody(call, m.arg, m.results, im.Visible(t.Package, t.TypeParamNames(), sig)))
	fmt.Fprintf(&b, "return %s.Completed(%s, %s, %s)\n}\n", machine, m.sig.Params[0].Name, value, err)
	return b.String()
}
