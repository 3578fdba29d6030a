package emit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Plain returns the twin of -mode=plain: a job that runs the function as it was written, on a
// goroutine. It uses no part of the lowering, so a build in this mode is an oracle for the other
// modes. The finding, if any, is that the signature cannot be written.
//
//	func fetchAsync(ctx context.Context, url string) *job.Job[int] {
//		return statemachine.Plain(ctx, func() (int, error) {
//			return fetch(ctx, url)
//		})
//	}
func Plain(fn *source.Function, im *typetext.Imports) ([]byte, []source.Diagnostic) {
	hidden := fn.Package.Names["nil"] || typetext.TypeParamNames(fn.Decl)["nil"]
	if hidden && fn.Stream == nil && fn.Results().Err == nil {
		return nil, []source.Diagnostic{hiddenName(fn.Extent(fn.Decl.Name), "nil")}
	}
	text, err := plainText(fn, im)
	if err != nil {
		return nil, []source.Diagnostic{unnameableSignature(fn, err)}
	}
	return text, nil
}

func plainText(fn *source.Function, im *typetext.Imports) ([]byte, error) {
	sig, err := im.Signature(fn)
	if err != nil {
		return nil, err
	}
	results := fn.Results()
	arg, err := im.JobArgument(results)
	if err != nil {
		return nil, err
	}
	job, machine := im.Path(source.JobPath, "job"), im.Path(source.StatemachinePath, "statemachine")
	ctx := sig.Context()
	if ctx == "nil" {
		ctx = im.Path("context", "context") + ".Background()"
	}
	call := fn.Object.Name()
	if sig.Receiver != nil {
		call = sig.Receiver.Name + "." + call
	}
	call += sig.TypeArgs + "(" + sig.ArgList() + ")"

	if fn.Stream != nil {
		return plainStream(fn, im, sig, call)
	}
	var b bytes.Buffer
	b.WriteString(source.Comment("%s runs [%s] on a goroutine of its own and returns its job.", fn.Names.Async, fn.DocName()))
	fmt.Fprintf(&b, "func %s%s%s(%s) *%s.Job[%s] {\n", sig.ReceiverText(), fn.Names.Async, sig.TypeParams, sig.ParamList(), job, arg)
	failure, _ := im.PredeclaredName("error")
	fmt.Fprintf(&b, "return %s.Plain(%s, func() (%s, %s) {\n", machine, ctx, arg, failure)
	b.WriteString(plainBody(call, arg, results, im.Visible(fn.Package, typetext.TypeParamNames(fn.Decl), sig)))
	b.WriteString("})\n}\n")
	return b.Bytes(), nil
}

// plainBody calls the function and returns what its job carries.
func plainBody(call, arg string, results source.Results, taken map[string]bool) string {
	n := len(results.Values)
	switch {
	case n == 0 && results.Err == nil:
		return fmt.Sprintf("%s\nreturn %s{}, nil\n", call, arg)
	case n == 0:
		return fmt.Sprintf("return %s{}, %s\n", arg, call)
	case n == 1 && results.Err == nil:
		return "return " + call + ", nil\n"
	case n == 1:
		return "return " + call + "\n"
	}
	var names, fields []string
	for i := range n {
		name := typetext.Free(fmt.Sprintf("v%d", i+1), taken)
		names = append(names, name)
		fields = append(fields, fmt.Sprintf("V%d: %s", i+1, name))
	}
	errName := "nil"
	if results.Err != nil {
		errName = typetext.Free("err", taken)
		names = append(names, errName)
	}
	return fmt.Sprintf("%s := %s\nreturn %s{%s}, %s\n", strings.Join(names, ", "), call, arg, strings.Join(fields, ", "), errName)
}

// plainStream returns the twin of a stream in -mode=plain.
func plainStream(fn *source.Function, im *typetext.Imports, sig typetext.Signature, call string) ([]byte, error) {
	value, err := im.TypeString(fn.Stream.Value)
	if err != nil {
		return nil, err
	}
	job := im.Path(source.JobPath, "job")
	stream := fmt.Sprintf("%s.StreamOf(%s)", job, call)
	if ctx := sig.Context(); ctx != "nil" {
		failure, _ := im.PredeclaredName("error")
		stream = fmt.Sprintf("%s.StreamFunc(%s, func(%s %s.Context) %s.Seq2[%s, %s] {\nreturn %s\n})",
			job, ctx, ctx, im.Path("context", "context"), im.Path("iter", "iter"), value, failure, call)
	}
	about := source.Comment("%s is the stream of [%s], which runs on a goroutine of its own where it has to.", fn.Names.Async, fn.DocName())
	return fmt.Appendf(nil, "%sfunc %s%s%s(%s) *%s.Stream[%s] {\nreturn %s\n}\n",
		about, sig.ReceiverText(), fn.Names.Async, sig.TypeParams, sig.ParamList(), job, value, stream), nil
}
