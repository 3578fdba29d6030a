package schedulers_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

func TestAHookContainsAndReportsEachPanicOnce(t *testing.T) {
	seen := reports(t)
	h := schedulers.NewHook("test.Hook", func(n int) {
		if n > 1 {
			panic(n)
		}
	})
	assert.True(t, h.IsSet())
	assert.True(t, h.Call(1))
	assert.False(t, h.Call(2))
	assert.False(t, h.Call(3))
	assert.Equal(t, []string{"the hook test.Hook panicked: 2", "the hook test.Hook panicked: 3"}, *seen)
}

func TestAHookThatIsNotSetDoesNothing(t *testing.T) {
	for _, h := range []schedulers.Hook[struct{}]{{}, dispatch.NewHook0("test.Hook", nil), schedulers.NewHook[struct{}]("test.Hook", nil)} {
		assert.False(t, h.IsSet())
		assert.True(t, h.Call(struct{}{}))
	}
	assert.Equal(t, "no panic", (*schedulers.HookPanic)(nil).String())
}

func TestOnHookPanicReturnsWhatWasSet(t *testing.T) {
	n := 0
	first := schedulers.OnHookPanic(func(*schedulers.HookPanic) { n++ })
	schedulers.OnHookPanic(first)(nil)
	assert.Equal(t, 1, n)
}

// A panic without a listener is written to standard error; the test uses a separate program.
func TestPanicsWithoutAListenerAreWrittenOncePerHook(t *testing.T) {
	if os.Getenv("HOOKS_PANIC") != "" {
		for range 3 {
			dispatch.NewHook0("test.One", func() { panic("ouch") }).Call(struct{}{})
			dispatch.NewHook0("test.Two", func() { panic("ouch") }).Call(struct{}{})
		}
		schedulers.OnHookPanic(func(*schedulers.HookPanic) { panic("the report, too") })
		dispatch.NewHook0("test.Three", func() { panic("\x1b[2J\nmovenext: ouch\u202e") }).Call(struct{}{})
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "HOOKS_PANIC=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, line := range []string{
		"movenext: the hook test.One panicked: ouch\n",
		"movenext: the hook test.Two panicked: ouch\n",
		"movenext: the hook test.Three panicked: \uFFFD[2J\n\tmovenext: ouch\uFFFD\n",
		"movenext: the hook schedulers.OnHookPanic panicked: the report, too\n",
	} {
		assert.Equal(t, 1, strings.Count(string(out), line), "%s in\n%s", line, out)
	}
	assert.Contains(t, string(out), "hook_test.go", "the stack shows where")
}
