package library

import (
	"errors"
	"fmt"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/prove/annotated"
)

// lower generates the machines of all functions that are not refused.
func (h *home) lower(mode codegen.Mode, env []string, p *Package, patterns ...string) error {
	for _, f := range h.files {
		p.Functions += f.Functions
	}
	for {
		result, err := codegen.Generate(codegen.Config{Dir: h.root, Env: env, Mode: mode}, patterns...)
		if err != nil || len(result.Diagnostics) == 0 {
			return err
		}
		if err := h.withdraw(result.Diagnostics, p); err != nil {
			return err
		}
	}
}

// withdraw takes back the annotations of functions that there are findings about.
func (h *home) withdraw(found []codegen.Diagnostic, p *Package) error {
	byFile := map[string][]codegen.Diagnostic{}
	var errs []error
	taken := 0
	for _, d := range found {
		byFile[d.Pos.Filename] = append(byFile[d.Pos.Filename], d)
	}
	for path, list := range byFile {
		f := h.files[path]
		if f == nil {
			return fmt.Errorf("a finding in no copied file: %s", list[0])
		}
		reasons, err := f.Withdraw(list)
		errs = append(errs, err)
		taken += len(reasons)
		for _, d := range reasons {
			if d.Category == "internal" {
				p.Different[d.Pos.String()] = d.String()
			}
			p.Refused[annotated.Reason(d)]++
		}
	}
	if taken == 0 {
		errs = append(errs, fmt.Errorf("a finding that no annotation is the cause of: %s", found[0]))
	}
	return errors.Join(errs...)
}
