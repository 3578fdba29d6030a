// Package golangci makes package vet a module plugin of golangci-lint, under the
// name movenext. docs/command.md explains how to build and enable it.
//
// It is a separate module, so that other users do not get its dependency.
package golangci

import (
	"fmt"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/vet"
)

func init() { register.Plugin("movenext", New) } //nolint:gochecknoinits // importing a plugin is what registers it

// settings are the linter's settings in .golangci.yml.
type settings struct {
	Skip []string `json:"skip"` // checks not to make
}

// New returns the plugin with its settings. It fails for unknown settings. The settings apply
// to the whole process.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](raw)
	if err != nil {
		return nil, fmt.Errorf("golangci: settings of movenext: %w", err)
	}
	if err := vet.Analyzer.Flags.Set("skip", strings.Join(s.Skip, ",")); err != nil {
		return nil, fmt.Errorf("golangci: settings of movenext: %w", err)
	}
	return plugin{}, nil
}

type plugin struct{}

// BuildAnalyzers returns the analyzer of package vet.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{vet.Analyzer}, nil
}

// GetLoadMode reports that the analyzer needs types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
