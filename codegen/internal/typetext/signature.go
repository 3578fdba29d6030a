package typetext

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Signature is a function's signature as its generated companions repeat it: every parameter has
// a name, and every type is written for the file.
type Signature struct {
	Receiver *Param // nil for a function

	// TypeParams declares the function's type parameters, "[T any]" or empty (always empty
	// for a method). TypeArgs passes them on: "[T]".
	TypeParams, TypeArgs string

	// FrameParams and FrameArgs do the same for a type that stands for the whole function:
	// the type parameters of the receiver or of the function.
	FrameParams, FrameArgs string

	Params []Param
}

// Param is one parameter or receiver.
type Param struct {
	Name     string
	Type     string // the element type if Variadic
	Variadic bool
	Var      *types.Var
}

// Signature writes the signature of fn for the file.
func (im *Imports) Signature(f *source.Function) (Signature, error) {
	var text Signature
	sig := f.Signature()
	var err error
	if text.TypeParams, text.TypeArgs, err = im.TypeParams(sig.TypeParams()); err != nil {
		return text, err
	}
	text.FrameParams, text.FrameArgs = text.TypeParams, text.TypeArgs
	if recv := sig.Recv(); recv != nil {
		param, err := im.Param(recv, false)
		if err != nil {
			return text, err
		}
		text.Receiver = &param
		text.FrameParams, text.FrameArgs, err = im.TypeParams(sig.RecvTypeParams())
		if err != nil {
			return text, err
		}
	}
	text.Params, err = im.params(sig)
	text.NameUnnamed(im)
	return text, err
}

// Params writes the parameters of a function type or of a method of an interface.
func (im *Imports) Params(sig *types.Signature) (Signature, error) {
	params, err := im.params(sig)
	text := Signature{Params: params}
	text.NameUnnamed(im)
	return text, err
}

func (im *Imports) params(sig *types.Signature) (list []Param, err error) {
	n := sig.Params().Len()
	for i := range n {
		param, err := im.Param(sig.Params().At(i), sig.Variadic() && i == n-1)
		if err != nil {
			return nil, err
		}
		list = append(list, param)
	}
	return list, nil
}

// TypeArgs returns the type parameters of fn, or of its receiver, as arguments: "[K, V]" or "".
func (im *Imports) TypeArgs(fn *source.Function) string {
	sig, err := im.Signature(fn)
	if err != nil {
		return ""
	}
	return sig.FrameArgs
}

// ReceiverText returns "(r *Repo) " or "", for use between func and the name.
func (s Signature) ReceiverText() string {
	if s.Receiver == nil {
		return ""
	}
	return "(" + s.Receiver.Name + " " + s.Receiver.Type + ") "
}

// Names returns the names of the parameters and of the receiver.
func (s Signature) Names() map[string]bool {
	names := map[string]bool{}
	for _, p := range s.Params {
		names[p.Name] = true
	}
	if s.Receiver != nil {
		names[s.Receiver.Name] = true
	}
	return names
}

// ParamList declares the parameters, without parentheses: "a, b int, list ...string".
func (s Signature) ParamList() string {
	var list []string
	for i, p := range s.Params {
		typ := p.Type
		if p.Variadic {
			typ = "..." + typ
		}
		if i+1 < len(s.Params) && !s.Params[i+1].Variadic && s.Params[i+1].Type == typ {
			list = append(list, p.Name) // The type follows the last parameter that has it.
		} else {
			list = append(list, p.Name+" "+typ)
		}
	}
	return strings.Join(list, ", ")
}

// ArgList passes the parameters on, without parentheses.
func (s Signature) ArgList() string {
	var list []string
	for _, p := range s.Params {
		arg := p.Name
		if p.Variadic {
			arg += "..."
		}
		list = append(list, arg)
	}
	return strings.Join(list, ", ")
}

// Param writes a parameter or a receiver. An unnamed one stays unnamed in the result, until
// [Signature.NameUnnamed] names it.
func (im *Imports) Param(v *types.Var, variadic bool) (Param, error) {
	typ := v.Type()
	if variadic {
		if slice, ok := types.Unalias(typ).(*types.Slice); ok {
			typ = slice.Elem()
		}
	}
	text, err := im.TypeString(typ)
	return Param{Name: im.ParamName(v.Name()), Type: text, Variadic: variadic, Var: v}, err
}

// ParamName returns the name of a parameter in generated functions. In the source, a parameter may
// have the same name as a type in its own signature, but generated bodies mention the type.
func (im *Imports) ParamName(name string) string {
	switch {
	case name == "_":
		return ""
	case im.hidden[name] || HidesType(im.self, name):
		return im.Fresh(name + "Arg")
	}
	return name
}

// HidesType reports whether a local of this name would hide a type of the package, or a
// predeclared name.
func HidesType(pkg *types.Package, name string) bool {
	_, isType := pkg.Scope().Lookup(name).(*types.TypeName)
	return isType || types.Universe.Lookup(name) != nil
}

// NameUnnamed gives names to parameters that are unnamed or blank in the source.
func (s *Signature) NameUnnamed(im *Imports) {
	if s.Receiver != nil && s.Receiver.Name == "" {
		s.Receiver.Name = im.Fresh("recv")
	}
	for i := range s.Params {
		if s.Params[i].Name == "" {
			s.Params[i].Name = im.Fresh("arg" + strconv.Itoa(i))
		}
	}
}

// TypeParams writes a list of type parameters as a declaration and as arguments. The type
// parameters of a receiver have the constraints of the type's declaration, already written with
// the receiver's names.
func (im *Imports) TypeParams(list *types.TypeParamList) (decl, args string, err error) {
	if list.Len() == 0 {
		return "", "", nil
	}
	var decls, names []string
	for i := range list.Len() {
		constraint := list.At(i).Constraint()
		text, err := im.TypeString(constraint)
		if err != nil {
			return "", "", err
		}
		if strings.HasPrefix(text, "*") { // type t[P *S] would be an array
			text = "interface{ " + text + " }"
		}
		name := im.typeParamName(list.At(i))
		decls, names = append(decls, name+" "+text), append(names, name)
	}
	return "[" + strings.Join(decls, ", ") + "]", "[" + strings.Join(names, ", ") + "]", nil
}

// typeParamName returns the name of a type parameter in generated declarations. A blank type
// parameter of a receiver needs a name there, since the frame mentions it.
func (im *Imports) typeParamName(p *types.TypeParam) string {
	if name := p.Obj().Name(); name != "_" {
		return name
	}
	return im.Fresh("P" + strconv.Itoa(p.Index()+1))
}

// Context returns the first parameter of type context.Context, or "nil". It carries the home of
// the call.
func (s Signature) Context() string {
	for _, p := range s.Params {
		if p.Var == nil {
			continue // captured: it carries no home of its own
		}
		if !p.Variadic && source.IsContext(p.Var.Type()) {
			return p.Name
		}
	}
	return "nil"
}

// JobArgument returns T of the *job.Job[T] that carries results, as written in the generated file.
func (im *Imports) JobArgument(results source.Results) (string, error) {
	if len(results.Values) == 0 {
		return im.Path(source.JobPath, "job") + ".Void", nil
	}
	var list []string
	for _, v := range results.Values {
		text, err := im.TypeString(v.Type())
		if err != nil {
			return "", err
		}
		list = append(list, text)
	}
	if len(list) == 1 {
		return list[0], nil
	}
	path := source.TuplePath(len(list))
	return fmt.Sprintf("%s.Tuple%d[%s]", im.Path(path, path[strings.LastIndexByte(path, '/')+1:]), len(list), strings.Join(list, ", ")), nil
}

// WithOwn returns a list of the function's type parameters, or arguments, followed by more of them
// from a type that the function declares.
func WithOwn(list, more string) string {
	if !strings.HasSuffix(list, "]") || more == "" {
		return list + more
	}
	return strings.TrimSuffix(list, "]") + ", " + strings.TrimPrefix(more, "[")
}
