package library

import (
	"errors"
	"fmt"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/prove/annotated"
)

// lower generates the machines of all functions that are not refused.
func (c *clone) lower(mode codegen.Mode, env []string, p *Package) error {
	for _, f := range c.files {
		p.Functions += f.Functions
	}
	for {
		result, err := codegen.Generate(codegen.Config{Dir: c.dir, Env: env, Mode: mode})
		if err != nil || len(result.Diagnostics) == 0 {
			return err
		}
		if err := c.withdraw(result.Diagnostics, p); err != nil {
			return err
		}
	}
}

// withdraw takes back the annotations of functions that there are findings about.
func (c *clone) withdraw(found []codegen.Diagnostic, p *Package) error {
	byFile := map[string][]codegen.Diagnostic{}
	var errs []error
	taken := 0
	for _, d := range found {
		name := annotated.Called(d)
		if name == "" {
			byFile[d.Pos.Filename] = append(byFile[d.Pos.Filename], d)
			continue
		}
		for _, f := range c.files {
			n, err := f.WithdrawNamed(name)
			errs = append(errs, err)
			p.Refused["functions that initialise variables"] += n
			taken += n
		}
	}
	for path, list := range byFile {
		f := c.files[path]
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
