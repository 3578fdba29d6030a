package codegen

import (
	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// target is one variant of a package that owns annotated functions, and what is made of it.
type target struct {
	*load.Variant

	outputs  []*output
	warnings []source.Diagnostic

	key      filecache.Key // of its outputs in the cache
	cached   bool          // key is valid
	recalled bool          // outputs are those of an earlier run
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
	t.warnings = r.initialisers(t, pkg)
	for _, file := range pkg.Files {
		out, found := generateFile(pkg, file, r.lowering(), r.cfg.mode())
		r.report(t.Dir, found...)
		if out != nil {
			t.outputs = append(t.outputs, out)
		}
	}
}

// variants are those that the targets are made of.
func variants(targets []*target) []*load.Variant {
	var list []*load.Variant
	for _, t := range targets {
		list = append(list, t.Variant)
	}
	return list
}
