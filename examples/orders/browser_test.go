package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/chromium"
)

// browser starts a headless Chromium. Without one on this system the test is skipped, unless CI
// requires it.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.Path(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.WindowSize(1200, 700))
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(all) // Cancel ends it, and waits
	require.NoError(t, chromedp.Do(ctx))
	t.Cleanup(func() { assert.NoError(t, chromedp.Cancel(ctx)) })
	return ctx
}

// shopProcess starts the program in a separate process, and returns the address of its page and a
// function that kills it.
func shopProcess(t *testing.T, store string) (address string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-store", store, "-http", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "ORDERS_WORKER=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	dead := false
	kill = func() {
		if !dead {
			dead = true
			_ = cmd.Process.Kill() // kill -9
			_ = cmd.Wait()         // it says that it was killed
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, address, ok := strings.Cut(strings.TrimSpace(line), "http://")
	require.True(t, ok, line)
	return "http://" + address, kill
}

// shows loads the page until so many orders have the status. While a page is being replaced it
// cannot be queried, so an error alone does not end the loop.
func shows(status string, orders int) chromedp.Action[chromedp.Void] {
	count := chromedp.Evaluate[int](fmt.Sprintf(`[...document.querySelectorAll('tr td:nth-child(2)')].filter(d => d.textContent.trim() === %q).length`, status))
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		for {
			n, err := count(ctx, tab)
			if err == nil && n == orders {
				return chromedp.Void{}, nil
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("%d orders are %s, not %d: %w", n, status, orders, errors.Join(err, context.Cause(ctx)))
			}
			_, _ = chromedp.Reload()(ctx, tab)
		}
	}
}

// press clicks the first button of an action, and waits for the page that follows.
func press(action string) chromedp.Action[chromedp.Void] {
	mark := chromedp.Evaluate[bool](`window.pressed = true`)
	click := chromedp.Click(chromedp.CSS(fmt.Sprintf(`form[action=%q] button`, action)))
	marked := chromedp.Evaluate[bool](`window.pressed === true || document.readyState !== 'complete'`)
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		if _, err := mark(ctx, tab); err != nil {
			return chromedp.Void{}, err
		}
		if _, err := click(ctx, tab); err != nil {
			return chromedp.Void{}, err
		}
		for ctx.Err() == nil {
			if old, err := marked(ctx, tab); err == nil && !old {
				return chromedp.Void{}, nil
			}
		}
		return chromedp.Void{}, context.Cause(ctx)
	}
}

// Three orders are made on the page and one is approved by a click. The program is killed and
// started again: the orders are where they were, and all of them end.
func TestOrdersOnThePageSurviveAKill(t *testing.T) {
	store := filepath.Join(t.TempDir(), "orders.db")
	b := browser(t)
	tab, cancel := chromedp.NewContext(b)
	defer cancel()
	require.NoError(t, chromedp.Do(tab)) // the first step of a tab must have no timeout
	ctx, cancel := context.WithTimeout(tab, 2*time.Minute)
	defer cancel()

	address, kill := shopProcess(t, store)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(address)))
	for n := range 3 {
		require.NoError(t, chromedp.Do(ctx, press("/order"), shows("waiting", n+1)))
	}
	where, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("table")))
	require.NoError(t, err)
	assert.Contains(t, where, "orders.Order, order.go:")
	assert.Contains(t, where, "waits for approval until")
	require.NoError(t, chromedp.Do(ctx, press("/approve"), shows("completed", 1), shows("waiting", 2)))

	kill()
	address, _ = shopProcess(t, store)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(address), shows("completed", 1), shows("waiting", 2)))
	for n := range 2 {
		require.NoError(t, chromedp.Do(ctx, press("/approve"), shows("completed", n+2)))
	}
}
