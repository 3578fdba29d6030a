package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"path/filepath"
	"strings"
)

// Contract is the version of the contract between generated code and runtime
// that this generator writes for.
const Contract = 1

// output is one generated file.
type output struct {
	path   string // the file to write
	source *File
	data   []byte

	syntax *ast.File // data, parsed again
	err    error     // of parsing it
}

// lowering makes the declarations of one function.
type lowering func(*Function, *Imports) (*Lowered, []Diagnostic)

// generateFile writes the twins of one source file. With findings there is no output.
func generateFile(pkg *Package, file *File, lower lowering, mode Mode) (*output, []Diagnostic) {
	formatted, err := format.Source(file.Source)
	file.ragged = err != nil || !bytes.Equal(formatted, file.Source)
	im := newImports(pkg, file)
	machine := im.Path(statemachinePath, "statemachine")
	var body bytes.Buffer
	unsigned, _ := im.predeclaredType("uint")
	body.WriteString(handshake(machine, unsigned))
	var findings []Diagnostic
	for _, fn := range file.Functions {
		lowered, found := guarded(lower, fn, im)
		findings = append(findings, found...)
		if lowered != nil {
			fmt.Fprintf(&body, "\n%s\n", bytes.TrimSpace(lowered.Text))
		}
	}
	if len(findings) > 0 {
		return nil, findings
	}
	im.prune(body.Bytes())
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", header(file.Path))
	if expr := buildConstraint(file); expr != nil {
		fmt.Fprintf(&b, "//go:build %s\n\n", expr)
	}
	fmt.Fprintf(&b, "package %s\n\n%s\n", file.Syntax.Name.Name, im.spec())
	b.Write(body.Bytes())
	data, err := format.Source(b.Bytes())
	if err != nil {
		return nil, []Diagnostic{invalidOutput(file.Path, err.Error())}
	}
	out := fileTwin(file.Path)
	data = directed(data, pkg.inStacks(file.Path, mode), pkg.inStacks(out, mode))
	return &output{path: out, source: file, data: sealed(data)}, nil
}

// guarded turns a panic of the lowering into a finding at the function that caused it:
// a defect here must not cost the files of other functions.
func guarded(lower lowering, fn *Function, im *Imports) (lowered *Lowered, found []Diagnostic) {
	defer func() {
		if v := recover(); v != nil {
			lowered, found = nil, []Diagnostic{loweringPanicked(fn, v)}
		}
	}()
	return lower(fn, im)
}

// handshake is the compile-time check that the runtime still, and already,
// works with the contract that the file was generated for.
func handshake(machine, unsigned string) string {
	return fmt.Sprintf(`// Generated for contract %[1]d of the runtime. Does this not compile? Then run movenext again,
// with the version of the module that is linked.
const (
	_ = %[3]s(%[2]s.ContractMax - %[1]d)
	_ = %[3]s(%[1]d - %[2]s.ContractMin)
)
`, Contract, machine, unsigned)
}

// buildConstraint is the condition under which the source file is built: its //go:build
// line, the constraints in its name, which the name of the generated file lacks, and
// cgo if it imports "C".
func buildConstraint(file *File) constraint.Expr {
	var expr constraint.Expr
	for _, group := range file.Syntax.Comments {
		if group.Pos() >= file.Syntax.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if parsed, err := constraint.Parse(c.Text); err == nil {
				expr = parsed
			}
		}
	}
	tags := nameConstraints(filepath.Base(file.Path))
	if importsC(file.Syntax) {
		tags = append(tags, "cgo")
	}
	for _, tag := range tags {
		expr = and(expr, &constraint.TagExpr{Tag: tag})
	}
	return expr
}

func and(a, b constraint.Expr) constraint.Expr {
	if a == nil {
		return b
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// nameConstraints lists the tags that the name of a file implies: linux and
// amd64 for x_linux_amd64.go. The generated file's name, x_linux_amd64_async.go,
// implies none.
func nameConstraints(base string) []string {
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	parts := strings.Split(base, "_")
	if len(parts) < 2 {
		return nil
	}
	last := parts[len(parts)-1]
	switch {
	case isSystem(last):
		return []string{last}
	case !isArchitecture(last):
		return nil
	}
	if len(parts) > 2 && isSystem(parts[len(parts)-2]) {
		return []string{parts[len(parts)-2], last}
	}
	return []string{last}
}
