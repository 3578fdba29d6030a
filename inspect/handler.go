package inspect

import (
	"html/template"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// Remote makes [Handler] also answer requests from other computers. The page shows names of
// functions and jobs: protect it by other means in that case.
func Remote() Option { return Option{remote: true} }

// Latency describes durations of one kind, for the page of [Handler].
type Latency struct {
	Of        string // the name of a scheduler or a function
	What      string // "queued", "runs", "suspended", …
	Count     uint64
	Half, P99 time.Duration // half of them, and 99 of 100, took at most this long
}

// Measured makes the page of [Handler] show latencies. read is called for each page; it can be
// the method Latencies of a metrics.Collector, for example. A panic in read is contained: see
// [schedulers.Hook].
func Measured(read func() []Latency) Option {
	if read == nil {
		return Option{}
	}
	return Option{read: schedulers.NewHook("inspect.Measured", func(to *[]Latency) { *to = read() })}
}

// Handler returns a handler that shows a [Snapshot] as a page, like
// net/http/pprof: read-only, without scripts and without external resources. It
// may be mounted under any path that ends with a slash. The last element of the
// path selects the result:
//
//	…/                      the page: machines by chain of functions, as a tree, locks,
//	                        cycles, schedulers, and latencies if they are Measured
//	…/?live=2               the page, which reloads itself every two seconds
//	…/dump                  the text of Dump
//	…/movenext.suspended    the profile of WriteProfile, for go tool pprof
//
// It answers only requests from this computer, unless [Remote] is given. It is safe for
// concurrent use: concurrent requests share a snapshot.
func Handler(opts ...Option) http.Handler {
	h := &handler{}
	for _, o := range opts {
		h.remote = h.remote || o.remote
		if o.read.IsSet() {
			h.read = o.read
		}
	}
	return h
}

type handler struct {
	remote bool
	read   schedulers.Hook[*[]Latency]
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "same-origin")
	if !h.remote && !isAllowed(r) {
		http.Error(w, "inspect: only requests from this computer are answered; see inspect.Remote", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "inspect: it can only be read", http.StatusMethodNotAllowed)
		return
	}
	switch path.Base(r.URL.Path) {
	case "dump":
		header.Set("Content-Type", "text/plain; charset=utf-8")
		_ = Dump(w) // an error means that the client is gone
	case ProfileName:
		header.Set("Content-Type", "application/octet-stream")
		header.Set("Content-Disposition", `attachment; filename="`+ProfileName+`.pb.gz"`)
		_ = WriteProfile(w)
	default:
		header.Set("Content-Type", "text/html; charset=utf-8")
		h.servePage(w, r)
	}
}

// isAllowed reports whether the request comes from this computer, and was not sent by a page of
// another site whose name resolves to this computer.
func isAllowed(r *http.Request) bool {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		from = r.RemoteAddr
	}
	to, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		to = strings.Trim(r.Host, "[]")
	}
	return isLoopback(from) && (to == "localhost" || isLoopback(to))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// page is the data for the template.
type page struct {
	*Report

	Groups []numbered // of this page
	From   int        // the index of the first of them
	Before string     // the query for the previous page, or ""
	After  string
	Tree   *branch

	Latencies []Latency
}

// head is the data for the head, which is sent before anything is counted.
type head struct {
	Live int    // seconds until the page loads itself again, or 0
	From string // the same query without reloading
}

type numbered struct {
	Group

	N int
}

// pageSize is the number of groups on one page.
const pageSize = 50

func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	first, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil || first < 0 {
		first = 0
	}
	live, err := strconv.Atoi(r.URL.Query().Get("live"))
	if err != nil || live < 0 {
		live = 0
	}
	// A browser shows the head at once, even if there are millions of machines to count.
	if err := pages.ExecuteTemplate(w, "head", head{live, "?from=" + strconv.Itoa(first)}); err != nil {
		return
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	p := pageOf(Snapshot(), first)
	h.read.Call(&p.Latencies)
	_ = pages.ExecuteTemplate(w, "body", p) // or the client has gone
}

// pageOf returns the page that begins with the group first.
func pageOf(r *Report, first int) *page {
	first = min(first, len(r.Groups))
	last := min(first+pageSize, len(r.Groups))
	p := &page{Report: r, From: first}
	for i := first; i < last; i++ {
		p.Groups = append(p.Groups, numbered{r.Groups[i], i + 1})
	}
	if first > 0 {
		p.Before = "?from=" + strconv.Itoa(max(0, first-pageSize))
	}
	if last < len(r.Groups) {
		p.After = "?from=" + strconv.Itoa(last)
	}
	p.Tree = treeOf(p.Groups)
	return p
}

// branch is a function and its callees, with the machines below it.
type branch struct {
	Place schedulers.Place
	Waits string // at the end of a branch: what its machines wait for
	Count int
	Calls []*branch
}

// treeOf returns the groups as a tree of calls, from the outermost functions inwards.
func treeOf(groups []numbered) *branch {
	root := &branch{}
	for i := range groups {
		g := &groups[i]
		b := root
		b.Count += g.Count
		for k := len(g.Stack) - 1; k >= 0; k-- {
			b = b.child(g.Stack[k], "", g.Count)
		}
		b.child(schedulers.Place{}, g.Waits, g.Count)
	}
	return root
}

// child returns the branch for one further call, and counts n machines there.
func (b *branch) child(place schedulers.Place, waits string, n int) *branch {
	for _, c := range b.Calls {
		if c.Place == place && c.Waits == waits {
			c.Count += n
			return c
		}
	}
	c := &branch{Place: place, Waits: waits, Count: n}
	b.Calls = append(b.Calls, c)
	return c
}

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"at":      formatPlace,
	"heldBy":  holderSuffix,
	"unknown": orUnknown,
	"plural":  plural,
	"round":   round,
	"name":    truncate.Name,
}).Parse(pageText))
