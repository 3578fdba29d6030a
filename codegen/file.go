package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"path/filepath"

	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Contract is the version of the contract between generated code and runtime
// that this generator targets.
const Contract = 1

// output is one generated file.
type output struct {
	path   string // the file to write
	source *source.File
	data   []byte
	places []emit.Place // of the lines of data

	syntax *ast.File // data, parsed again
	err    error     // of parsing it
}

// generateFile writes the twins of one source file. With findings there is no output.
func (r *run) generateFile(pkg *source.Package, file *source.File) (*output, []source.Diagnostic) {
	im := typetext.New(pkg, file)
	var body bytes.Buffer
	unsigned, _ := im.PredeclaredName("uint")
	if len(file.Functions)+len(file.Types) > 0 {
		body.WriteString(handshake(im.Path(source.StatemachinePath, "statemachine"), unsigned))
	}
	findings := translateAll(&body, file.Functions, im, r.translator())
	for _, t := range file.Types {
		text, found := emit.Type(t, im)
		body.Write(text)
		findings = append(findings, found...)
	}
	findings = append(findings, translateAll(&body, file.Others, im, r.other.Translate)...)
	if len(findings) > 0 {
		return nil, findings
	}
	data, err := assemble(file, im, body.Bytes())
	if err != nil {
		return nil, []source.Diagnostic{invalidOutput(file.Path, err.Error())}
	}
	out, mode := source.FileTwin(file.Path), r.cfg.mode()
	lines := func(line int) (string, int) {
		named, line := pkg.Shown(file, line)
		if named == "" {
			named = inStacks(pkg, file.Path, mode)
		}
		return named, line
	}
	data, places := emit.InsertDirectives(data, lines, inStacks(pkg, out, mode))
	return &output{path: out, source: file, data: source.Seal(data), places: places}, nil
}

// translateAll writes the declarations of functions.
func translateAll(body *bytes.Buffer, functions []*source.Function, im *typetext.Imports, translate translator) (findings []source.Diagnostic) {
	for _, fn := range functions {
		text, found := translateGuarded(translate, fn, im)
		findings = append(findings, found...)
		if text != nil {
			fmt.Fprintf(body, "\n%s\n%s\n", fn.OriginLine(), bytes.TrimSpace(text))
		}
	}
	return findings
}

// assemble returns the formatted file with these declarations.
func assemble(file *source.File, im *typetext.Imports, body []byte) ([]byte, error) {
	im.Prune(body)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", source.Header(file.Path))
	if expr := source.BuildConstraint(file); expr != nil {
		fmt.Fprintf(&b, "//go:build %s\n\n", expr)
	}
	fmt.Fprintf(&b, "package %s\n\n%s\n", file.Syntax.Name.Name, im.Spec())
	b.Write(body)
	return format.Source(b.Bytes())
}

// translateGuarded turns a panic of a phase into a finding at the function that caused it, so
// that a defect here does not cost other functions their files.
func translateGuarded(translate translator, fn *source.Function, im *typetext.Imports) (text []byte, found []source.Diagnostic) {
	defer func() {
		if v := recover(); v != nil {
			text, found = nil, []source.Diagnostic{loweringPanicked(fn, v)}
		}
	}()
	return translate(fn, im)
}

// handshake returns the compile-time check that the runtime supports the version of the
// contract that the file was generated for: neither too old nor too new.
func handshake(machine, unsigned string) string {
	return fmt.Sprintf(`// Generated for contract %[1]d of the runtime. If this does not compile, generate it again
// with the version of movenext that go.mod names.
const (
	_ = %[3]s(%[2]s.ContractMax - %[1]d)
	_ = %[3]s(%[1]d - %[2]s.ContractMin)
)
`, Contract, machine, unsigned)
}

// inStacks returns the name of a file of pkg as it appears in stacks of machines of a mode.
func inStacks(pkg *source.Package, file string, mode Mode) string {
	if mode == Debug {
		return filepath.ToSlash(file)
	}
	return pkg.InStacks(file)
}
