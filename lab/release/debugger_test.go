package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// debugs drives delve in a module, in which an editor has the settings of movenext init. If it may
// not trace a process, the test fails with delve's message.
func debugs(t *testing.T, n *newcomer) {
	t.Helper()
	dir := filepath.Join(n.dir, "shop")
	source := filepath.Join(dir, "main.go")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(source, []byte(shop), 0o644))
	lines := map[string]int{}
	for i, line := range strings.Split(shop, "\n") {
		if _, name, ok := strings.Cut(line, " // the "); ok {
			lines[name] = i + 1
		}
	}
	lines["behind"] = lines["await"] + 1
	stop := func(names ...string) (list []string) {
		for _, name := range names {
			list = append(list, fmt.Sprintf("main.go:%d", lines[name]))
		}
		return list
	}

	// A step over a call that suspends leaves the machine and stops at the declaration of the
	// calling function; the breakpoint after the call stops where the machine continues.
	n.built(t, "-mode=debug", "-N -l")
	assert.Equal(t, stop("await", "function", "behind", "sum"), n.stops(t,
		fmt.Sprintf("break main.go:%d", lines["await"]),
		fmt.Sprintf("break %s:%d", filepath.ToSlash(source), lines["behind"]),
		"continue", "next", "continue", "next"))

	// A breakpoint on a line that suspends stops before the suspension.
	n.built(t, "-mode=release", "-N -l")
	assert.Equal(t, stop("loop", "await", "behind", "sum"), n.stops(t,
		fmt.Sprintf("break example.com/hello/shop/main.go:%d", lines["loop"]),
		fmt.Sprintf("break example.com/hello/shop/main.go:%d", lines["await"]),
		fmt.Sprintf("break example.com/hello/shop/main.go:%d", lines["behind"]),
		"continue", "continue", "continue", "next"))

	// An editor sends the full path.
	n.built(t, "-mode=release", n.launchFlags(t))
	assert.Equal(t, []int{lines["await"], lines["behind"], lines["sum"]},
		n.editorStops(t, source, lines["await"], lines["behind"], lines["sum"]))
}

// built generates the program in a form, and builds it for a debugger.
func (n *newcomer) built(t *testing.T, mode, flags string) {
	t.Helper()
	// The settings of the go command on this computer may leave debug information out.
	n.types(t, true, "go tool movenext "+mode+" ./shop\nGOFLAGS=-modcacherw go build -gcflags='"+flags+"' -o shop/shop.exe ./shop")
}

// stops returns the places where delve stops when it executes commands.
func (n *newcomer) stops(t *testing.T, commands ...string) (list []string) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "commands")
	require.NoError(t, os.WriteFile(script, []byte(strings.Join(append(commands, "exit\n"), "\n")), 0o644))
	out := n.types(t, true, "dlv exec shop/shop.exe --allow-non-terminal-interactive=true --init "+script)
	for _, m := range regexp.MustCompile(`(?m)^> .*?\(\) (\S+:\d+) `).FindAllStringSubmatch(out, -1) {
		list = append(list, m[1][strings.LastIndexAny(m[1], `/\`)+1:])
	}
	if len(list) == 0 {
		t.Errorf("delve has not stopped: %s", out)
	}
	return list
}
