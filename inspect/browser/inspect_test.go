package browser

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// transfer locks two accounts. Two transfers in opposite directions wait for each other.
//
//movenext:async
func transfer(ctx context.Context, from, to *coord.Mutex, both *coord.Barrier) error {
	if err := from.Lock(ctx); err != nil {
		return err
	}
	defer from.Unlock()
	if _, err := both.Wait(ctx); err != nil {
		return err
	}
	if err := to.Lock(ctx); err != nil {
		return err
	}
	to.Unlock()
	return nil
}

//movenext:async
func load(page *job.Job[string]) (string, error) { return page.Await() }

//movenext:async
func render(page *job.Job[string]) (string, error) {
	text, err := load(page)
	return "<p>" + text, err
}

func TestThePageOfASnapshot(t *testing.T) {
	defer inspect.Track()()
	c := metrics.Collect()
	defer c.Stop()
	ctx, end := context.WithCancel(context.Background())
	var a, b coord.Mutex
	both := coord.NewBarrier(2)
	one, other := transferAsync(ctx, &a, &b, both), transferAsync(ctx, &b, &a, both)
	page := job.NewSource[string]()
	var renders []*job.Job[string]
	for range 40 {
		renders = append(renders, renderAsync(page.Job()))
	}
	server := httptest.NewServer(inspect.Handler(inspect.Measured(c.Latencies)))
	defer server.Close()

	tab := browser(t)
	does(t, tab, chromedp.Navigate(server.URL+"/"), until(`document.querySelectorAll('.cycle').length === 1`))
	text := value[string](t, tab, `document.body.innerText`)
	for _, want := range []string{"42 machines", "A cycle of 2 machines", "inspect/browser.load ", "coord.Mutex", "work runs", "browser.transfer"} {
		assert.Contains(t, text, want)
	}
	picture(t, tab, "INSPECT_PICTURE")

	// By keyboard: tab reaches the links, and a branch of the tree opens and closes.
	closed := value[bool](t, tab, `(() => { const s = document.querySelector('summary'); s.focus(); s.click(); return !s.parentElement.open && document.activeElement === s })()`)
	assert.True(t, closed)

	// Live: the page loads itself again, and shows what has changed meanwhile.
	does(t, tab, chromedp.Navigate(server.URL+"/?live=1"), until(`document.body.innerText.includes('inspect/browser.load ')`))
	page.TrySetResult("hello")
	for _, j := range renders {
		<-j.Done()
	}
	does(t, tab, until(`!document.body.innerText.includes('inspect/browser.load ') && document.body.innerText.includes('2 machines at')`))
	end()
	<-one.Done()
	<-other.Done()
	does(t, tab, until(`document.querySelectorAll('.cycle').length === 0`))
	assert.Empty(t, value[string](t, tab, `[...document.querySelectorAll('script, img, link')].map(e => e.outerHTML).join()`))

	// Dark and light: the browser is told which, and the colours follow.
	for scheme, dark := range map[string]bool{"dark": true, "light": false} {
		does(t, tab, mediaScheme(scheme))
		colour := value[string](t, tab, `getComputedStyle(document.body).backgroundColor`)
		assert.Equal(t, dark, strings.HasPrefix(colour, "rgb(2"+"0,"), colour)
	}
}
