package main

import (
	"context"
	"os"
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
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.WindowSize(900, 600))
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(all) // Cancel ends it, and waits
	require.NoError(t, chromedp.Do(ctx))
	t.Cleanup(func() { assert.NoError(t, chromedp.Cancel(ctx)) })
	return ctx
}

// tab opens the chat in a tab of the browser, and enters the room.
func tab(t *testing.T, browser context.Context, address, name string) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	does(t, ctx,
		chromedp.Navigate("http://"+address),
		chromedp.SendKeys(chromedp.CSS("#name"), name+"\r"), // by keyboard alone
		chromedp.WaitVisible(chromedp.CSS("#text")),
	)
	return ctx
}

// does runs steps in a tab, for at most a minute.
func does(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab)) // the first step of a tab must have no timeout
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// sees waits until the page shows a line with the text.
func sees(text string) chromedp.Action[chromedp.Void] {
	find := chromedp.PollFunction[bool](`text => [...document.querySelectorAll('#said li')].some(l => l.textContent.includes(text))`,
		chromedp.WithPollingArgs(text), chromedp.WithPollingInterval(20*time.Millisecond))
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := find(ctx, tab)
		return chromedp.Void{}, err
	}
}

func says(text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS("#text"), text+"\r")
}

func TestTwoPeopleTalkInABrowser(t *testing.T) {
	_, address := serving(t, 10, time.Minute)
	b := browser(t)
	ann, bob := tab(t, b, address, "Ann"), tab(t, b, address, "Bob")
	does(t, ann, sees("Bob has joined"))
	does(t, bob, says("hello <b>you</b>"))
	does(t, ann, sees("hello <b>you</b>"), says("hello Bob"))
	does(t, bob, sees("hello Bob"))
	state, err := chromedp.Run(bob, chromedp.Text(chromedp.CSS("#state")))
	require.NoError(t, err)
	assert.Equal(t, "2 are here", state)
	if file := os.Getenv("CHAT_PICTURE"); file != "" {
		png, err := chromedp.Run(bob, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, png, 0o600))
	}
	require.NoError(t, chromedp.Cancel(bob)) // closes the tab
	does(t, ann, sees("Bob has left"))
}
