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
	return pageOf(t, recording), len(recording.Events)
}

// pageOf writes the page of a recording, and returns its address.
func pageOf(t *testing.T, recording *record.Recording) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, recording.WritePage(f, record.Title("three jobs "+hostile), record.Sources(os.ReadFile)))
	require.NoError(t, f.Close())
	return "file://" + filepath.ToSlash(name)
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

// faults lists what no player may show: a step in words with a hole in it, a curve without numbers
// or without a line on the canvas.
const faults = `(() => {
	const list = [], hole = /undefined|NaN|Infinity/;
	E.forEach((e, i) => { if (hole.test(say(e))) list.push('step ' + (i + 1) + ': ' + say(e)) });
	go(N);
	if (hole.test(document.body.innerText)) list.push('text of the last step');
	const canvas = document.querySelector('canvas'), g = canvas.getContext('2d');
	let top = 0;
	for (const [what, points] of curves) {
		if (!points.length || points.some(([, v]) => !Number.isFinite(v))) list.push('numbers of ' + what);
		const drawn = g.getImageData(left, top + 1, canvas.width - left - 4, curveHeight - 2).data;
		if (!drawn.some((v, i) => i % 4 === 3 && v > 0)) list.push('line of ' + what);
		top += curveHeight;
	}
	return list.join('; ');
})()`

// unclear lists names of the page that do not say what they name: types of the runtime instead of
// names, a name that two schedulers have, a worker without a number, and a processor with two
// workers at a time.
const unclear = `(() => {
	const list = E.map(say).filter(s => /\*\w+\.|worker 0/.test(s));
	list.push(...D.schedulers.map((n, s) => schedulerName(s)).filter((n, s, all) => all.indexOf(n) !== s));
	for (let i = 0; i <= Math.min(N, 500); i++) for (const [s, x] of stateAt(i).schedulers) {
		const held = [...x.workers.values()].filter(w => w.on).map(w => w.p);
		if (new Set(held).size < held.length) list.push(schedulerName(s) + ': workers of one processor at step ' + i);
	}
	return list;
})()`

// A value of zero is a value: the data of the page omits it, as it does all trailing zeros.
func TestACurveMayTouchZero(t *testing.T) {
	var file bytes.Buffer
	r := record.Start(&file, record.Of(manual.New()))
	for _, v := range []float64{0, 3, 0, -2, 0} {
		r.Value("waiting", v)
	}
	require.NoError(t, r.Stop())
	recording, err := record.Read(&file)
	require.NoError(t, err)
	tab := browser(t)
	does(t, tab, chromedp.Navigate(pageOf(t, recording)), until(said+` === 'The recording begins.'`))
	assert.Empty(t, value[string](t, tab, faults))
	assert.Equal(t, []float64{0, 3, 0, -2, 0}, value[[]float64](t, tab, `curves.get('waiting').map(p => p[1])`))
	assert.Equal(t, "waiting = 0", value[string](t, tab, said))
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
		assert.Empty(t, value[string](t, tab, faults), name)
		assert.Zero(t, left, "%s: at the end nothing is queued and nothing runs", name)
		assert.Empty(t, value[[]string](t, tab, unclear), name)
		assert.Positive(t, value[int](t, tab, `document.querySelector('canvas').height`))
	}
	assert.GreaterOrEqual(t, arrows, 4, "steals are arrows")
	does(t, tab, chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(folder, "stealing-half.html"))), until(said+` === 'The recording begins.'`))
	value[int](t, tab, `go(E.findIndex(e => e[K] === STOLEN) + 1), step`)
	picture(t, tab, "SCHEDULE_PICTURE")
}
