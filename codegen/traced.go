package codegen

import (
	"slices"

	"github.com/movenext/movenext/codegen/internal/emit"
)

// Place says what a line of a generated file executes: statements of the source that begin there,
// by their offsets (Begun), and the line of the source that the compiler counts there (Line).
type Place = emit.Place

// Trace is a generated file and what its lines execute.
type Trace struct {
	Path, Source string  // the generated file and its source, absolute
	Import       string  // the import path of their package
	Fresh        bool    // the file on disk is the one that the places are about
	Data         []byte  // what is generated
	Places       []Place // of the lines of Data
}

// Traces generates machines for the packages that patterns match, writes nothing, and returns what
// the lines of the generated files execute. Tests are left out. Findings are those of [Generate];
// if there are any, there are no traces.
func Traces(cfg Config, patterns ...string) ([]Trace, []Diagnostic, error) {
	r, result, err := tryRun(&cfg, translating(form{traces: true}), patterns)
	if err != nil {
		return nil, nil, err
	}
	if len(result.Diagnostics) > 0 {
		return nil, result.Diagnostics, nil
	}
	var traces []Trace
	for _, t := range r.targets {
		if t.Meta.ForTest != "" {
			continue
		}
		for _, out := range t.outputs {
			fresh := slices.ContainsFunc(result.Files, func(f FileChange) bool { return f.Path == out.path && f.Change == Unchanged })
			traces = append(traces, Trace{
				Path: out.path, Source: out.source.Path, Import: t.Meta.PkgPath, Fresh: fresh, Data: out.data, Places: out.places,
			})
		}
	}
	return traces, nil, nil
}
