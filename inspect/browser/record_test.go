package browser

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

const hostile = `</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">`

// page writes the page of a recording of three jobs, and returns its address and how many
// events it has.
func page(t *testing.T) (address string, events int) {
	t.Helper()
	before := job.SetDiagnostics(job.RecordCreation)
	defer job.SetDiagnostics(before)
	var file bytes.Buffer
	s := manual.New()
	r := record.Start(&file, record.Of(s))
	for _, name := range []string{hostile, "second", "third"} {
		job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named(name))
	}
	r.Note(hostile)
	s.RunAll()
	require.NoError(t, r.Stop())
	recording, err := record.Read(&file)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, recording.WritePage(f, record.Title("three jobs "+hostile), record.Sources(os.ReadFile)))
	require.NoError(t, f.Close())
	return "file://" + filepath.ToSlash(name), len(recording.Events)
}

const (
	said  = `document.querySelector('#event').textContent`
	where = `document.querySelector('#where').textContent`
)

func TestASchedulePlaysByKeyboard(t *testing.T) {
	tab := browser(t)
	address, n := page(t)
	does(t, tab, chromedp.Navigate(address), until(said+` === 'The recording begins.'`))
	does(t, tab, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), until(fmt.Sprintf(`%s.startsWith('2 of %d')`, where, n)))
	does(t, tab, chromedp.KeyEvent(kb.ArrowLeft), until(where+`.startsWith('1 of')`))
	does(t, tab, chromedp.KeyEvent(kb.End), until(fmt.Sprintf(`%s.startsWith('%d of %d')`, where, n, n)), until(said+`.includes('worker 1 ends')`))
	does(t, tab, chromedp.KeyEvent(kb.Home), until(where+`.startsWith('0 of')`))
	does(t, tab, chromedp.KeyEvent(" "), until(`document.querySelector('#play').textContent === 'pause'`), until(where+`.startsWith('3 of')`))
	does(t, tab, chromedp.KeyEvent(" "), until(`document.querySelector('#play').textContent === 'play'`))
	does(t, tab, chromedp.KeyEvent("t"), until(`document.querySelector('#axis').textContent === 'by time'`))
	assert.Zero(t, value[int](t, tab, `window.hacked || 0`), "hostile names are text")
}

func TestAJobShowsItsSource(t *testing.T) {
	tab := browser(t)
	address, _ := page(t)
	// Three submissions and a note come first.
	does(t, tab, chromedp.Navigate(address+"#step=4"), until(`document.querySelectorAll('[data-queue="0"] .chip').length === 3`))
	assert.Equal(t, "third", value[string](t, tab, `document.querySelector('[data-queue="0"] .chip').textContent`), "the newest is on top")
	does(t, tab, chromedp.Click(chromedp.CSS(`[data-queue="0"] .chip`)), until(`!document.querySelector('#job').hidden`))
	assert.Equal(t, "third", value[string](t, tab, `document.querySelector('#job h2').textContent`))
	assert.Contains(t, value[string](t, tab, `document.querySelector('#job .line').textContent`), "job.Go(schedulers.With")
	does(t, tab, chromedp.KeyEvent("n"), until(said+`.includes('runs third')`))
	assert.Contains(t, value[string](t, tab, `document.querySelector('[data-worker="1"] .chip').textContent`), "third", "a worker has it")
	does(t, tab, chromedp.KeyEvent(kb.Escape), until(`document.querySelector('#job').hidden`))
}

// TestEveryLessonPlays opens the pages of the example that records the lessons of other
// schedulers, and plays each to its end.
func TestEveryLessonPlays(t *testing.T) {
	tab := browser(t)
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./examples/42-schedules", "-o", folder)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	require.NoError(t, err)
	assert.Len(t, pages, 12, "eleven lessons and an index")
	arrows := 0
	for _, name := range pages {
		if filepath.Base(name) == "index.html" {
			continue
		}
		does(t, tab, chromedp.Navigate("file://"+filepath.ToSlash(name)), until(said+` === 'The recording begins.'`))
		arrows += value[int](t, tab, `(() => { let n = 0; for (let i = 0; i <= Math.min(N, 500); i++) { go(i); n += document.querySelectorAll('svg.arrow').length } return n })()`)
		left := value[int](t, tab, `go(N), [...document.querySelectorAll('[data-worker] .chip, .stack .chip')].length`)
		assert.Zero(t, left, "%s: at the end nothing is queued and nothing runs", name)
		assert.Positive(t, value[int](t, tab, `document.querySelector('canvas').height`))
	}
	assert.GreaterOrEqual(t, arrows, 4, "steals are arrows")
	does(t, tab, chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(folder, "stealing-half.html"))), until(said+` === 'The recording begins.'`))
	value[int](t, tab, `go(E.findIndex(e => e[K] === STOLEN) + 1), step`)
	picture(t, tab, "SCHEDULE_PICTURE")
}
