package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/chromium"
)

// browser starts a headless Chromium with a tab. If there is none on this system, the test is
// skipped, unless CI requires it. At the end of the test the tab must have reported no error.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.Path(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.WindowSize(1280, 800))
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(all) // Cancel ends it, and waits
	require.NoError(t, chromedp.Do(ctx))
	var c complaints
	require.NoError(t, chromedp.Listen(ctx, c.hear))
	t.Cleanup(func() {
		assert.NoError(t, chromedp.Cancel(ctx))
		assert.Empty(t, c.all(), "what the pages wrote to the console")
	})
	return ctx
}

// complaints collects what a browser writes to its console, and exceptions. It may be used
// by several goroutines.
type complaints struct {
	mu   sync.Mutex
	text []string
}

func (c *complaints) hear(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		c.text = append(c.text, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		c.text = append(c.text, string(e.Type))
	case *log.EventEntryAdded:
		c.text = append(c.text, e.Entry.Text+" "+e.Entry.URL)
	}
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

// does runs steps in the tab, for at most a minute.
func does(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// until waits until the JavaScript expression is true, on whatever page the tab then shows.
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

// value returns the value of the JavaScript expression.
func value[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err)
	return v
}

// mediaScheme makes the page believe that the system is dark or light.
func mediaScheme(scheme string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	}
}

// served returns the address of the site in a folder of a server.
func served(t *testing.T) string {
	t.Helper()
	_, folder := theSite(t)
	server := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	return server.URL + "/some/path/"
}

// onDisk returns the address of the site on this system's disk.
func onDisk(t *testing.T) string {
	t.Helper()
	_, folder := theSite(t)
	return "file://" + strings.ReplaceAll(filepath.ToSlash(folder), " ", "%20") + "/"
}

const (
	found    = `[...document.querySelectorAll('#site-results b')].map(b => b.textContent)`
	selected = `document.querySelector('#site-results [aria-selected=true] b')?.textContent`
	paper    = `getComputedStyle(document.body).backgroundColor`
	white    = `rgb(255, 255, 255)`
)

func TestTheSearchFindsAHeadingByKeyboard(t *testing.T) {
	for _, address := range []func(*testing.T) string{served, onDisk} {
		tab := browser(t)
		does(t, tab, chromedp.Navigate(address(t)+"docs/book/01-a-job.html"), chromedp.KeyEvent("/"), until(`document.activeElement.id === 'site-query'`))
		does(t, tab, chromedp.KeyEvent("waiting inside of wor"), until(selected+` === '17. Waiting inside of work'`))
		results := value[[]string](t, tab, found)
		require.Greater(t, len(results), 1)
		does(t, tab, chromedp.KeyEvent(kb.ArrowDown), until(fmt.Sprintf(`%s === %q`, selected, results[1])))
		does(t, tab, chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter), until(`document.querySelector('h1')?.textContent === '#17. Waiting inside of work' && document.readyState === 'complete'`))

		// A part of a page, and a word that is being typed.
		does(t, tab, chromedp.KeyEvent("/"), chromedp.KeyEvent("eleven les"), until(selected+` === 'Eleven lessons'`))
		assert.Equal(t, "combobox", value[string](t, tab, `document.activeElement.getAttribute('role')`))
		does(t, tab, chromedp.KeyEvent(kb.Enter), until(`location.href.endsWith('/docs/schedules.html#eleven-lessons') && document.readyState === 'complete'`))
		does(t, tab, chromedp.KeyEvent("/"), chromedp.KeyEvent("glossary qqqqq"), until(`document.querySelector('#site-count').textContent === '0 results'`))
		does(t, tab, chromedp.KeyEvent(kb.Escape), until(`document.querySelector('#site-found').hidden && document.activeElement === document.body`))
	}
}

func TestTheSearchRanks(t *testing.T) {
	tab := browser(t)
	does(t, tab, chromedp.Navigate(served(t)+"index.html"), until(`document.readyState === 'complete'`))
	does(t, tab, chromedp.KeyEvent("/"), until(`!!window.siteIndex`))
	first := func(query string) string {
		return value[string](t, tab, fmt.Sprintf(`(() => { const p = siteIndex.parts[search(siteIndex, %q)[0]]; return p ? siteIndex.pages[p[0]][0] + '#' + p[1] : '' })()`, query))
	}
	assert.Equal(t, "docs/glossary.html#", first("glossary"), "a title counts most")
	assert.Equal(t, first("WHENALL"), first("whenall"), "upper and lower case are one")
	assert.NotEmpty(t, first("when all"), "a name is found by its parts")
	assert.Equal(t, "docs/performance.html#", first("performance"))
	assert.Empty(t, first("glossary qqqqq"), "all words must be there")
	assert.Empty(t, first("()[]*+"), "signs are not words")
}

func TestColoursFollowTheSystemUntilTheReaderChooses(t *testing.T) {
	tab := browser(t)
	address := served(t)
	does(t, tab, mediaScheme("dark"), chromedp.Navigate(address+"index.html"), until(`document.readyState === 'complete'`))
	assert.NotEqual(t, white, value[string](t, tab, paper))
	code := `getComputedStyle(document.querySelector('.chroma .kd')).color`
	dark := value[string](t, tab, code)
	does(t, tab, mediaScheme("light"), until(paper+` === '`+white+`'`))
	light := value[string](t, tab, code)
	assert.NotEqual(t, dark, light, "code has colours of its own")
	does(t, tab, chromedp.Click(chromedp.CSS("#site-theme")), until(paper+` !== '`+white+`'`))
	assert.Equal(t, dark, value[string](t, tab, code))
	does(t, tab, chromedp.Navigate(address+"docs/book/index.html"), until(`document.readyState === 'complete'`))
	assert.NotEqual(t, white, value[string](t, tab, paper), "the choice holds for the next page")
	does(t, tab, mediaScheme("dark"), chromedp.Click(chromedp.CSS("#site-theme")), until(paper+` === '`+white+`'`))
}

func TestAReplayPlaysWithinAPage(t *testing.T) {
	tab := browser(t)
	frame := `document.querySelector('iframe').contentDocument`
	said := frame + `?.querySelector('#event')?.textContent`
	does(t, tab, chromedp.Navigate(served(t)+"docs/sources/go.html"), until(`document.readyState === 'complete'`))
	value[bool](t, tab, `(document.querySelector('iframe').scrollIntoView(), true)`)
	does(t, tab, until(said+` === 'The recording begins.'`))
	value[bool](t, tab, `(`+frame+`.querySelector('#play').click(), true)`)
	does(t, tab, until(frame+`.querySelector('#where').textContent.startsWith('2 of')`))
	value[bool](t, tab, `(`+frame+`.querySelector('#last').click(), true)`)
	does(t, tab, until(frame+`.querySelector('#next') && `+said+`.includes('ends')`))
	inFrame := `getComputedStyle(` + frame + `.body).backgroundColor`
	assert.Equal(t, white, value[string](t, tab, inFrame))
	does(t, tab, chromedp.Click(chromedp.CSS("#site-theme")), until(inFrame+` !== '`+white+`'`))
}

// faults lists the steps of a player with a hole in their words, and curves without numbers.
const faults = `(() => {
	const list = [], hole = /undefined|NaN|Infinity/;
	E.forEach((e, i) => { if (hole.test(say(e))) list.push('step ' + (i + 1) + ': ' + say(e)) });
	for (const [what, points] of curves) if (!points.length || points.some(([, v]) => !Number.isFinite(v))) list.push(what);
	go(N);
	if (hole.test(document.body.innerText)) list.push('text of the last step');
	return list.join('; ');
})()`

func TestEveryReplayOfTheSiteIsWhole(t *testing.T) {
	tab := browser(t)
	_, folder := theSite(t)
	replays, err := filepath.Glob(filepath.Join(folder, "replays", "*.html"))
	require.NoError(t, err)
	require.NotEmpty(t, replays)
	for _, name := range replays {
		if base := filepath.Base(name); base == "index.html" || base == "three-awaits.html" {
			continue
		}
		does(t, tab, chromedp.Navigate(onDisk(t)+"replays/"+filepath.Base(name)), until(`document.querySelector('#event')?.textContent === 'The recording begins.'`))
		assert.Empty(t, value[string](t, tab, faults), name)
	}
}

func TestTheThreeAwaitsPlay(t *testing.T) {
	tab := browser(t)
	does(t, tab, chromedp.Navigate(onDisk(t)+"replays/three-awaits.html"), until(`document.querySelector('#count')?.textContent.startsWith('step 1 of ')`))
	said := value[string](t, tab, `(() => {
		const seen = [];
		for (let i = 0; i < document.querySelector('#at').max; i++) {
			document.querySelector('#next').click();
			seen.push(document.querySelector('#event').textContent);
		}
		return seen.join('; ') + (/undefined|NaN/.test(document.body.innerText) ? 'a hole in the words' : '');
	})()`)
	assert.Equal(t, 3, strings.Count(said, "suspends at"), said)
	assert.NotContains(t, said, "hole")
	assert.NotContains(t, said, "undefined")
	forms := value[[]string](t, tab, `[...document.querySelectorAll('tr[data-field=ctx] td, tr[data-field=err] td')].map(e => e.textContent).slice(0, 9)`)
	assert.Equal(t, []string{"16", "16", "ctx", "context.backgroundCtx", "context.Context", "parameter", "–", "16", "err"}, forms, "release and debug form")
	light := value[string](t, tab, paper)
	does(t, tab, mediaScheme("dark"), until(paper+` !== '`+light+`'`))
}

func TestAPhone(t *testing.T) {
	tab := browser(t)
	s, _ := theSite(t)
	address := onDisk(t)
	does(t, tab, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, p := range s.pages {
		does(t, tab, chromedp.Navigate(address+p.URL), until(`document.readyState === 'complete'`))
		assert.LessOrEqual(t, value[int](t, tab, `document.documentElement.scrollWidth`), 390, "%s is wider than the screen", p.path)
	}
	for _, name := range []string{"three-awaits", "ums"} {
		does(t, tab, chromedp.Navigate(address+"replays/"+name+".html"), until(`document.readyState === 'complete'`))
		assert.LessOrEqual(t, value[int](t, tab, `document.documentElement.scrollWidth`), 390, "%s is wider than the screen", name)
	}
	does(t, tab, chromedp.Navigate(address+"docs/book/07-many-workers.html"), until(`document.readyState === 'complete'`))
	shown := `document.querySelector('#site-sidebar').checkVisibility()`
	assert.False(t, value[bool](t, tab, shown), "the text comes first")
	does(t, tab, chromedp.Click(chromedp.CSS("#site-menu")), until(shown), until(`document.querySelector('#site-menu').getAttribute('aria-expanded') === 'true'`))
	assert.True(t, value[bool](t, tab, `(() => { const r = document.querySelector('[aria-current]').getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight && r.height >= 32 })()`), "the page is marked, in view and large enough for a finger")
	does(t, tab, chromedp.KeyEvent(kb.Escape), until(`!`+shown))
	does(t, tab, chromedp.Click(chromedp.CSS("#site-menu")), chromedp.Click(chromedp.CSS(`#site-sidebar a[href$="08-sleeping.html"]`)), until(`document.querySelector('h1')?.textContent === '#8. Sleeping and waking'`))
	assert.False(t, value[bool](t, tab, shown), "the next page is not covered")
}
