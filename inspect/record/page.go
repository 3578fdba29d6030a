package record

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"

	"github.com/movenext/movenext/schedulers"
)

// The page is page.html with the script page.js and the data in it. Names come from programs and
// may be hostile. They occur only in the data, which is JSON with < and > escaped. The script
// puts them into text nodes, and the page's policy lets a browser run no other script.
var (
	//go:embed page.html
	pageText string
	//go:embed page.js
	script string

	beforeData, afterData = splitPage()
)

func splitPage() (before, after string) {
	sum := sha256.Sum256([]byte(script))
	text := strings.Replace(pageText, "{{hash}}", "sha256-"+base64.StdEncoding.EncodeToString(sum[:]), 1)
	text = strings.Replace(text, "{{script}}", script, 1)
	before, after, _ = strings.Cut(text, "{{data}}")
	return before, after
}

// DefaultEvents is the maximum number of events on a page, unless [Events] sets another: a
// browser shows that many without delay.
const DefaultEvents = 200_000

// PageOption is an option of [Recording.WritePage]. Options are plain values.
type PageOption struct {
	title    string
	from, to int
	read     schedulers.Hook[*sourceRequest]
}

// Title sets the title of the page.
func Title(title string) PageOption { return PageOption{title: title} }

// Events selects the events from the index from on, up to the index to.
func Events(from, to int) PageOption { return PageOption{from: from, to: to} }

// Sources puts the source lines around each place into the page. read returns the contents of a
// file: os.ReadFile for a program that was built on this computer. Only files whose names end in
// .go are read, since a recording may come from elsewhere. A file that cannot be read, or for
// which read panics, is omitted; see [schedulers.Hook]. Without this option a page has the names
// of files, but not their text.
func Sources(read func(file string) ([]byte, error)) PageOption {
	if read == nil {
		return PageOption{}
	}
	return PageOption{read: schedulers.NewHook("record.Sources", func(r *sourceRequest) {
		if text, err := read(r.file); err == nil {
			r.text = text
		}
	})}
}

// sourceRequest is a file that is being read.
type sourceRequest struct {
	file string
	text []byte
}

// WritePage writes a page that plays the recording: workers as lanes, queues as stacks, steals as
// arrows. The page is self-contained: it needs no other file and no network. The fragment #step=n
// opens it after the n-th event. The returned error is that of w.
func (r *Recording) WritePage(w io.Writer, opts ...PageOption) error {
	o := PageOption{title: "A schedule", to: min(len(r.Events), DefaultEvents)}
	for _, opt := range opts {
		if opt.title != "" {
			o.title = opt.title
		}
		if opt.to > 0 {
			o.from, o.to = opt.from, opt.to
		}
		if opt.read.IsSet() {
			o.read = opt.read
		}
	}
	o.to = min(max(o.to, 0), len(r.Events))
	o.from = min(max(o.from, 0), o.to)
	data := r.pageData(o)
	if _, err := io.WriteString(w, beforeData); err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(data); err != nil {
		return err
	}
	_, err := io.WriteString(w, afterData)
	return err
}

// pageData is the data for the script. The first element of each list is the entry for 0.
type pageData struct {
	Title      string                    `json:"title"`
	End        string                    `json:"end"`
	Left       int                       `json:"left"` // events that are not on the page
	Schedulers []string                  `json:"schedulers"`
	Subjects   []any                     `json:"subjects"` // [job, name, place]
	Places     []any                     `json:"places"`   // [function, file, line]
	Texts      []string                  `json:"texts"`
	Events     [][]any                   `json:"events"` // see row
	Source     map[string]map[int]string `json:"source,omitempty"`
}

// pageBuilder collects the objects that the events of a page refer to.
type pageBuilder struct {
	*Recording

	data     pageData
	subjects map[int]int
	jobs     map[uint64]int
	places   map[schedulers.Place]int
	texts    map[string]int
}

func (r *Recording) pageData(o PageOption) *pageData {
	b := &pageBuilder{
		Recording: r, subjects: map[int]int{}, jobs: map[uint64]int{}, places: map[schedulers.Place]int{}, texts: map[string]int{"": 0},
		data: pageData{
			Title: o.title, End: r.End, Left: len(r.Events) - (o.to - o.from), Schedulers: r.Schedulers,
			Subjects: []any{nil}, Places: []any{nil}, Texts: []string{""}, Events: [][]any{},
		},
	}
	start := int64(0)
	for i, e := range r.Events[o.from:o.to] {
		if i == 0 && o.from > 0 {
			start = int64(e.Time)
		}
		b.data.Events = append(b.data.Events, b.row(e, start))
	}
	if o.read.IsSet() {
		b.data.Source = b.sources(o.read)
	}
	return &b.data
}

// row returns an event in the form that the script reads. Its columns are the script's constants;
// trailing zeros are omitted.
func (b *pageBuilder) row(e Event, start int64) []any {
	kind, text := int(e.Work), e.Waits
	switch {
	case e.Life != 0:
		kind = kinds + int(e.Life)
	case e.Note != "":
		kind, text = 2*kinds, e.Note
	case e.Curve != "":
		kind, text = 2*kinds+1, e.Curve
	}
	status := ""
	if e.Status != 0 {
		status = e.Status.String()
	}
	row := []any{
		kind, int64(e.Time) - start, b.subject(e.Subject), e.Scheduler, e.Worker, e.Queue, e.Count, e.Processor,
		b.place(e.Place), int64(e.Took), b.text(text), b.text(e.Holder), b.subject(e.On), b.text(status), number(e.Value),
	}
	for len(row) > 2 && (row[len(row)-1] == 0 || row[len(row)-1] == int64(0) || row[len(row)-1] == float64(0)) {
		row = row[:len(row)-1]
	}
	return row
}

// number returns a value as a number of JSON.
func number(f float64) any {
	if f != f || f-f != 0 { // not a number, or infinite
		return float64(0)
	}
	return f
}

// subject returns the page's number of a subject. A job that has several numbers in the recording
// has only one on the page.
func (b *pageBuilder) subject(i int) int {
	if i <= 0 || i >= len(b.Subjects) {
		return 0
	}
	n, ok := b.subjects[i]
	if ok {
		return n
	}
	s := b.Subjects[i]
	if n, ok = b.jobs[s.Job]; !ok || s.Job == 0 {
		n = len(b.data.Subjects)
		b.data.Subjects = append(b.data.Subjects, []any{s.Job, s.Name, b.place(s.Made)})
		b.jobs[s.Job] = n
	}
	b.subjects[i] = n
	return n
}

func (b *pageBuilder) place(p schedulers.Place) int {
	if p == (schedulers.Place{}) {
		return 0
	}
	n, ok := b.places[p]
	if !ok {
		n = len(b.data.Places)
		b.places[p] = n
		b.data.Places = append(b.data.Places, []any{p.Function, p.File, p.Line})
	}
	return n
}

func (b *pageBuilder) text(s string) int {
	n, ok := b.texts[s]
	if !ok {
		n = len(b.data.Texts)
		b.texts[s] = n
		b.data.Texts = append(b.data.Texts, s)
	}
	return n
}

// Lines around a place that the page has.
const (
	linesBefore = 3
	linesAfter  = 6
)

func (b *pageBuilder) sources(read schedulers.Hook[*sourceRequest]) map[string]map[int]string {
	files := map[string]map[int]string{}
	texts := map[string][][]byte{}
	for p := range b.places {
		lines, ok := texts[p.File]
		if !ok {
			if strings.HasSuffix(p.File, ".go") {
				r := sourceRequest{file: p.File}
				read.Call(&r)
				lines = bytes.Split(r.text, []byte("\n"))
			}
			texts[p.File] = lines
		}
		for n := max(1, p.Line-linesBefore); n <= min(len(lines), p.Line+linesAfter); n++ {
			if files[p.File] == nil {
				files[p.File] = map[int]string{}
			}
			files[p.File][n] = string(lines[n-1])
		}
	}
	return files
}
