package browser

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/chromium"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// browser starts a headless Chromium with a tab. Without one on this system the test is
// left out, unless CI demands it. At the end of the test the console must have no errors.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.Path(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("force-color-profile", "srgb"), chromedp.WindowSize(1000, 640))
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(all) // Cancel ends it, and waits
	require.NoError(t, chromedp.Do(ctx))
	var errors console
	require.NoError(t, chromedp.Listen(ctx, errors.hear))
	t.Cleanup(func() {
		assert.NoError(t, chromedp.Cancel(ctx))
		assert.Empty(t, errors.all(), "errors in the console")
	})
	return ctx
}

// console collects the exceptions and errors of pages. It may be used by several goroutines.
type console struct {
	mu   sync.Mutex
	text []string
}

func (c *console) hear(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		c.text = append(c.text, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			c.text = append(c.text, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

func (c *console) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

// does runs steps in the tab, for a minute at most.
func does(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// until waits until the JavaScript expression is true, on whatever page the tab has by
// then.
func until(expression string) chromedp.Action[chromedp.Void] {
	find := chromedp.PollFunction[bool](`() => `+expression, chromedp.WithPollingInterval(20*time.Millisecond))
	return func(ctx context.Context, tab *chromedp.Target) (v chromedp.Void, err error) {
		for {
			if _, err = find(ctx, tab); err == nil || ctx.Err() != nil {
				return v, err
			}
		}
	}
}

// value returns what the JavaScript expression is.
func value[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err)
	return v
}

// picture writes the page to the file that an environment variable names.
func picture(t *testing.T, tab context.Context, variable string) {
	t.Helper()
	file := os.Getenv(variable)
	if file == "" {
		return
	}
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, png, 0o600))
}

// mediaScheme makes the page see a system that is dark or light.
func mediaScheme(scheme string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	}
}
