package codegen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// delve is the debugger, in a version that can read the output of this version of Go.
const delve = "github.com/go-delve/delve/cmd/dlv@v1.27.2"

// shop is the program of docs/howto/debugger.md.
const shop = `package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
)

//movenext:async
func price(ctx context.Context, item string) (int, error) {
	job.Yield()
	return len(item), nil
}

//movenext:async
func total(ctx context.Context, items []string) (int, error) { // the function
	sum := 0
	for _, item := range items { // the loop
		n, err := price(ctx, item) // the await
		if err != nil {
			return 0, err
		}
		sum += n // the sum
	}
	return sum, nil
}

func main() {
	fmt.Println(totalAsync(context.Background(), []string{"tea"}).Wait(context.Background()))
}
`

// TestADebuggerStepsThroughTheSource drives delve. If there is no delve, or it may not trace a
// process, the test fails with delve's message.
func TestADebuggerStepsThroughTheSource(t *testing.T) {
	dir := testmodule.New(t, "example.com/shop")
	source := filepath.Join(dir, "main.go")
	testmodule.Write(t, source, []byte(shop))
	lines := map[string]int{}
	for n, line := range strings.Split(shop, "\n") {
		if _, name, ok := strings.Cut(line, " // the "); ok {
			lines[name] = n + 1
		}
	}
	lines["behind"] = lines["await"] + 1
	stop := func(names ...string) (list []string) {
		for _, name := range names {
			list = append(list, fmt.Sprintf("main.go:%d", lines[name]))
		}
		return list
	}
	debugger := installed(t, dir)

	// A step over a call that suspends leaves the machine and stops at the declaration of the
	// calling function; the breakpoint after the call stops where the machine continues.
	generated(t, dir, codegen.Debug)
	assert.Equal(t, stop("await", "function", "behind", "sum"), stops(t, dir, debugger,
		fmt.Sprintf("break main.go:%d", lines["await"]),
		fmt.Sprintf("break %s:%d", filepath.ToSlash(source), lines["behind"]),
		"continue", "next", "continue", "next"))

	// A breakpoint on a line that suspends stops before the suspension.
	generated(t, dir, codegen.Release)
	assert.Equal(t, stop("loop", "await", "behind", "sum"), stops(t, dir, debugger,
		fmt.Sprintf("break example.com/shop/main.go:%d", lines["loop"]),
		fmt.Sprintf("break example.com/shop/main.go:%d", lines["await"]),
		fmt.Sprintf("break example.com/shop/main.go:%d", lines["behind"]),
		"continue", "continue", "continue", "next"))

	// An editor sends the full path.
	built(t, dir, launchFlags(t, dir))
	assert.Equal(t, []int{lines["await"], lines["behind"], lines["sum"]},
		editorStops(t, dir, debugger, source, lines["await"], lines["behind"], lines["sum"]))
}

// installed returns the path of delve.
func installed(t *testing.T, dir string) string {
	t.Helper()
	install := exec.Command("go", "install", "-gcflags=all=-dwarf=0 -c=1", "-ldflags=-s -w", delve)
	install.Dir = dir
	bin := t.TempDir()
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOGC=800")
	out, err := install.CombinedOutput()
	require.NoError(t, err, "%s cannot be had: %s", delve, out)
	found, err := exec.LookPath(filepath.Join(bin, "dlv"))
	require.NoError(t, err)
	return found
}

// generated generates the program in one form and builds it for a debugger.
func generated(t *testing.T, dir string, mode codegen.Mode) {
	t.Helper()
	result, err := codegen.Generate(codegen.Config{Dir: dir, Mode: mode}, ".")
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	built(t, dir)
}

// built builds the program for a debugger, with more flags of the compiler.
func built(t *testing.T, dir string, flags ...string) {
	t.Helper()
	build := exec.Command("go", "build", "-gcflags="+strings.Join(append(flags, "-N", "-l"), " "), "-o", "shop.exe", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=") // which may leave debug information out
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
}

// stops returns the places where delve stops when it executes commands.
func stops(t *testing.T, dir, debugger string, commands ...string) (list []string) {
	t.Helper()
	script := filepath.Join(dir, "commands")
	testmodule.Write(t, script, []byte(strings.Join(append(commands, "exit\n"), "\n")))
	run := exec.Command(debugger, "exec", filepath.Join(dir, "shop.exe"), "--allow-non-terminal-interactive=true", "--init", script)
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, m := range regexp.MustCompile(`(?m)^> .*?\(\) (\S+:\d+) `).FindAllStringSubmatch(string(out), -1) {
		list = append(list, m[1][strings.LastIndexAny(m[1], `/\`)+1:])
	}
	if len(list) == 0 {
		t.Errorf("delve has not stopped: %s", out)
	}
	return list
}
