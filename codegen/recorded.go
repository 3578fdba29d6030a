package codegen

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Recorded generates recording machines for the packages that patterns match, and returns an
// overlay, by path: the machines and the recording code, which replace files on disk. When a
// program with these machines starts, it writes the recording to the file sink. Findings are
// those of [Generate]; if there are any, there is no overlay.
func Recorded(cfg Config, sink string, patterns ...string) (map[string][]byte, []Diagnostic, error) {
	cfg.Mode = Debug
	r, result, err := tryRun(&cfg, translating(form{debug: true, records: true}), patterns)
	if err != nil {
		return nil, nil, err
	}
	if len(result.Diagnostics) > 0 {
		return nil, result.Diagnostics, nil
	}
	overlay := map[string][]byte{}
	for _, f := range result.Files {
		if f.Data != nil && filepath.Ext(f.Path) == ".go" {
			overlay[f.Path] = f.Data
		}
	}
	for _, t := range r.targets {
		if t.Meta.ForTest == "" && !strings.HasSuffix(t.Meta.Name, "_test") {
			overlay[filepath.Join(t.Dir, "movenext_record.go")] = openSink(t.Meta.Name, sink)
			return overlay, nil, nil
		}
	}
	return nil, nil, fmt.Errorf("codegen: nothing to record in %s: only tests are annotated there", strings.Join(patterns, " "))
}

// openSink returns a file of package pkg that opens the recording.
func openSink(pkg, sink string) []byte {
	return fmt.Appendf(nil, `package %s

import (
	movenextos "os"

	movenextrecord %q
)

func init() {
	file, err := movenextos.Create(%q)
	if err != nil {
		panic(err)
	}
	movenextrecord.To(file)
}
`, pkg, source.RecordPath, sink)
}
