package codegen_test

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

var targets = flag.Bool("targets", false, "execute the form for debugging as well, and build the machines in all the ways below")

// buildEverywhere builds the machines for other systems and word sizes, and in the forms for a
// debugger and for the race detector. The first time, building the standard library for all of
// them takes minutes.
func buildEverywhere(t *testing.T, dir string) {
	t.Helper()
	if !*targets {
		return
	}
	build := func(env []string, flags ...string) {
		cmd := exec.Command("go", append(append([]string{"build", "-o", os.DevNull}, flags...), "./main")...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
		output, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%v %v:\n%s", env, flags, output)
	}
	build(nil, "-gcflags=-N -l")
	for _, arch := range []string{"386", "arm64"} {
		build([]string{"GOOS=linux", "GOARCH=" + arch})
	}
	build([]string{"GOOS=js", "GOARCH=wasm"})
	race := exec.Command("go", "build", "-race", "unicode/utf8")
	if output, err := race.CombinedOutput(); err != nil {
		t.Logf("without the race detector, which needs a C compiler: %s", output)
		return
	}
	build([]string{"CGO_ENABLED=1"}, "-race")
}
