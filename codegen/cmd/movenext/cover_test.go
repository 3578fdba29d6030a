package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/testmodule"
)

// coveredSource is a package whose test chooses the form by a variable of the environment.
var coveredSource = map[string]string{
	"x.go": `package p

import (
	"context"
	"errors"

	"github.com/movenext/movenext/job"
)

//movenext:async
func price(ctx context.Context, item string) (int, error) {
	job.Yield()
	if item == "" {
		return 0, errors.New("no item")
	}
	return len(item), nil
}

//movenext:async
func Total(ctx context.Context, items []string) (sum int, err error) {
	defer func() { sum++ }()
	for _, item := range items {
		if item == "stop" {
			break
		}
		n, err := price(ctx, item)
		if err != nil {
			return 0, err
		}
		switch {
		case n > 3:
			sum += n
		case n < 0:
			sum--
		}
	}
	return sum, nil
}
`,
	"x_test.go": `package p

import (
	"context"
	"os"
	"testing"
)

func TestTotal(t *testing.T) {
	items := []string{"tea", "coffee", "stop"}
	total := Total
	if os.Getenv("FORM") == "machine" {
		total = func(ctx context.Context, items []string) (int, error) { return TotalAsync(ctx, items).Wait(ctx) }
	}
	if sum, err := total(context.Background(), items); sum != 7 || err != nil {
		t.Error(sum, err)
	}
}
`,
}

func TestCoverageOfAMachineIsThatOfThePlainForm(t *testing.T) {
	testmodule.StartsPrograms(t)
	dir := folder(t, coveredSource)
	status, _, stderr := movenext("-C", dir)
	require.Equal(t, exitOK, status, stderr)
	profile := func(form string) string {
		name := filepath.Join(dir, form+".out")
		goCommand(t, dir, "FORM="+form, "test", "-coverprofile="+name, ".")
		status, stdout, stderr := movenext("cover", "-C", dir, name)
		require.Equal(t, exitOK, status, stderr)
		require.Empty(t, stdout)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(data)
	}
	plain := profile("plain")
	assert.Equal(t, plain, profile("machine"))
	assert.NotContains(t, plain, "_async.go")
	assert.Contains(t, goCommand(t, dir, "", "tool", "cover", "-func="+filepath.Join(dir, "machine.out")), "x.go:20:\tTotal\t\t83.3%")

	// What is generated now is not what was tested.
	goCommand(t, dir, "", "test", "-coverprofile=stale.out", ".")
	before, err := os.ReadFile(filepath.Join(dir, "stale.out"))
	require.NoError(t, err)
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(coveredSource["x.go"]+"\n//movenext:async\nfunc g() {}\n"))
	status, _, stderr = movenext("cover", "-C", dir, filepath.Join(dir, "stale.out"))
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "x_async.go: it is not up to date; generate, and test again")
	after, err := os.ReadFile(filepath.Join(dir, "stale.out"))
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestCoverWithoutAProfile(t *testing.T) {
	for _, args := range [][]string{{"cover"}, {"cover", "a", "b"}, {"cover", "-unknown", "a"}, {"cover", filepath.Join(t.TempDir(), "none.out")}} {
		status, _, stderr := movenext(args...)
		assert.Equal(t, exitUsage, status, args)
		assert.NotEmpty(t, stderr, args)
	}
}

// goCommand runs the go command with a setting of the environment, and returns its output.
func goCommand(t *testing.T, dir, setting string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), setting)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
