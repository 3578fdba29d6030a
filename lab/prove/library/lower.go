package library

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/lab/prove/annotated"
)

// lower generates the machines of all functions that are not refused, in the packages that
// patterns match. It drops a pattern that is the folder of a package with type errors.
func (h *home) lower(mode codegen.Mode, env []string, p *Package, patterns ...string) error {
	for _, f := range h.files {
		p.Functions += f.Functions
	}
	for {
		result, err := codegen.Generate(codegen.Config{Dir: h.root, Env: env, Mode: mode}, patterns...)
		if err != nil || len(result.Diagnostics) == 0 {
			return err
		}
		withdrawBroken, err := h.withdrawBroken(result.Diagnostics, patterns, p)
		if err == nil && len(withdrawBroken) == 0 {
			err = h.withdraw(result.Diagnostics, p)
		}
		if err != nil {
			return err
		}
		patterns = slices.DeleteFunc(patterns, func(folder string) bool { return slices.Contains(withdrawBroken, folder) })
	}
}

// withdrawBroken returns the patterns whose packages have type errors, and withdraws all of their
// annotations.
func (h *home) withdrawBroken(found []codegen.Diagnostic, patterns []string, p *Package) (folders []string, err error) {
	var errs []error
	for _, folder := range patterns {
		inside := func(path string) bool { return filepath.Dir(path) == filepath.Join(h.root, folder) }
		i := slices.IndexFunc(found, func(d codegen.Diagnostic) bool { return d.Category == "source" && inside(d.Pos.Filename) })
		if i < 0 {
			continue
		}
		folders = append(folders, folder)
		p.LeftOut[folder] = found[i].What
		for path, f := range h.files {
			if inside(path) {
				p.Functions -= f.Functions
				errs = append(errs, f.Clear())
			}
		}
	}
	return folders, errors.Join(errs...)
}

// withdraw withdraws the annotations of functions with findings.
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
