package codegen_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/testmodule"
)

// traced is a program whose annotated function prints, and panics in, lines that say so: of each
// comment // here: NAME, the program's output has to name the line.
const traced = `package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/movenext/movenext/job"
)

func where(name string) {
	_, file, line, _ := runtime.Caller(1)
	fmt.Println(name, filepath.Base(file), line)
}

//movenext:async
func walk(ctx context.Context, list []int) int {
	where("first") // here: first
	job.Yield()
	where("second") // here: second
	sum := 0
	for _, n := range list {
		if n == 0 {
			where("skipped") // here: skipped
			return 0
		}
		if n == 2 {
			where("two") // here: two
			continue
		}
		for range n {
			if n > 3 {
				return -1
			}
			where("inner") // here: inner
		}
		job.Yield()
		func() {
			sum += n
			where("literal") // here: literal
		}()
		defer func() {
			where("deferred") // here: deferred
		}()
	}
	var nobody *[]int
	return sum + len(*nobody) // here: panic
}

func main() {
	_, err := walkAsync(context.Background(), []int{1, 2}).Wait(context.Background())
	var p *job.PanicError
	if !errors.As(err, &p) {
		panic(err)
	}
	for line := range strings.Lines(string(p.Stack)) {
		if line = strings.TrimSpace(line); strings.Contains(line, "main.go:") {
			file, _, _ := strings.Cut(filepath.Base(line), " ")
			fmt.Println("panic", strings.Replace(file, ":", " ", 1))
			name, _, _ := strings.Cut(line, "main.go:")
			fmt.Println("folder " + name)
		}
	}
	_ = os.Stdout.Sync()
}
`

func TestDebugFormShowsTheLinesOfTheSource(t *testing.T) {
	dir := testmodule.New(t, "example.com/traced")
	testmodule.Write(t, filepath.Join(dir, "main.go"), []byte(traced))
	result, err := codegen.Generate(codegen.Config{Dir: dir, Mode: codegen.Debug}, ".")
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)

	// As a debugger wants it built, too.
	run := exec.Command("go", "run", "-gcflags=-N -l", ".")
	run.Dir = dir
	printed, err := run.Output()
	require.NoError(t, err)
	// A debugger knows one file by this name, which is that of the source, and the machine is in it.
	assert.Contains(t, string(printed), "folder "+filepath.ToSlash(dir)+"/\n")
	assert.NotContains(t, string(printed), "folder \n")
	for n, line := range strings.Split(traced, "\n") {
		if _, name, ok := strings.Cut(line, "// here: "); ok && name != "skipped" {
			assert.Contains(t, string(printed), fmt.Sprintf("%s main.go %d\n", name, n+1))
		}
	}
}
