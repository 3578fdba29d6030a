package codegen

import (
	"slices"

	"github.com/movenext/movenext/codegen/internal/cache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// target is one variant of a package that owns annotated functions, with its outputs.
type target struct {
	*load.Variant

	outputs  []*output
	warnings []source.Diagnostic

	kept     *cache.Package // its entry in the cache; nil: none
	recalled bool           // outputs come from an earlier run
}

// findTargets looks for annotated functions in the matched packages.
func (r *run) findTargets() {
	for _, v := range r.finder.Variants(func(dir string, found []source.Diagnostic) { r.report(dir, found...) }) {
		r.targets = append(r.targets, &target{Variant: v})
	}
}

// lowerTarget type-checks one variant and generates its files.
func (r *run) lowerTarget(t *target) {
	if t.recalled {
		return
	}
	if wrong := r.checker.Problems(t.Variant); len(wrong) > 0 {
		r.report(t.Dir, wrong...)
		return
	}
	pkg, wrong := r.checker.Model(t.Variant)
	r.report(t.Dir, wrong...)
	t.warnings = slices.Concat(r.initialisers(t, pkg), halfPairs(pkg), r.otherBuilds(pkg))
	for _, file := range pkg.Files {
		out, found := r.generateFile(pkg, file)
		r.report(t.Dir, found...)
		if out != nil {
			t.outputs = append(t.outputs, out)
		}
	}
}

// variants returns the variants of the targets.
func variants(targets []*target) []*load.Variant {
	var list []*load.Variant
	for _, t := range targets {
		list = append(list, t.Variant)
	}
	return list
}

// recall looks for the outputs of all targets in the cache.
func (r *run) recall() {
	known := r.cache.Packages(r.ws, r.sources)
	for _, t := range r.targets {
		if t.Others {
			continue // their outputs depend on more than their source
		}
		t.kept = known.Of(t.Variant)
		files, ok := t.kept.Outputs()
		for _, f := range files {
			t.outputs = append(t.outputs, &output{path: f.Path, data: f.Data})
		}
		t.recalled = ok
	}
}

// remember caches the outputs of all targets if there is no finding.
func (r *run) remember() {
	if len(r.findings) > 0 {
		return
	}
	for _, t := range r.targets {
		if t.recalled || len(t.warnings) > 0 {
			continue
		}
		var files []cache.File
		for _, out := range t.outputs {
			files = append(files, cache.File{Path: out.path, Data: out.data})
		}
		t.kept.Keep(files)
	}
}
