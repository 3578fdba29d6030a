package metrics

import (
	"cmp"
	"encoding/json"
	"math/bits"
	"net/http"
	"slices"
	"sync"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/schedulers"
)

// Option is an option of [Collect] or [Log].
type Option struct{ sample int }

// OneIn measures about one in n work items and jobs, and scales the counts up. n is rounded up to
// a power of two; below 2 it means all.
func OneIn(n int) Option { return Option{sample: n} }

func sampleOf(opts []Option) (n int) {
	n = 1
	for _, o := range opts {
		if o.sample > 1 {
			n = 1 << bits.Len(uint(o.sample-1))
		}
	}
	return n
}

// Collector collects metrics. Make one with [Collect]. All methods are safe for concurrent use.
// It is an http.Handler that serves the text format of Prometheus, and a Var of package expvar.
type Collector struct {
	oneIn      int // measures 1 in so many
	schedulers table[*scheduler]
	functions  table[*function]
	queueTimes timeTable // of queued work items
	lives      lives
	stop       func()
}

// Collect starts collecting. It does not block.
func Collect(opts ...Option) *Collector {
	c := &Collector{oneIn: sampleOf(opts)}
	c.schedulers.limit, c.functions.limit = 100, 1000
	works := schedulers.Observe(c.hearWork, schedulers.OneIn(c.oneIn))
	jobs := inspect.Observe(c.hearJob, inspect.Sample(c.oneIn))
	c.stop = sync.OnceFunc(func() {
		works()
		jobs()
	})
	return c
}

// Stop stops collecting. The sums remain. It does not block, and may be called more than once.
func (c *Collector) Stop() { c.stop() }

// Metrics are the sums since a collector was started.
type Metrics struct {
	Schedulers []Scheduler // by name
	Functions  []Function  // by name
}

// Scheduler sums up the schedulers of one name. Times are in seconds.
type Scheduler struct {
	Name string

	Submitted, Refused, Begun, Ended, Abandoned, Inlined uint64 // work items
	Stolen                                               uint64 // work items
	Injected                                             uint64 // workers, for waiting ones
	Queued, Running                                      uint64 // work items, now
	Workers                                              uint64 // now

	Start   Histogram // time from a submission to its begin
	Run     Histogram // of work items
	Blocked Histogram // of waits in the middle of work
	Parked  Histogram // of workers' sleeps
	Depth   Histogram // the queue's length at each submission
}

// Function sums up the jobs of one function. Times are in seconds.
type Function struct {
	Name string
	Live uint64 // jobs, now

	Start       Histogram // time until a job was started
	Run         Histogram // of a job from one suspension to the next
	Suspended   Histogram // time from a suspension to the next run
	Suspensions Histogram // number of suspensions per job
}

// Read returns the sums. Even the sums of one row are not read at the same moment.
func (c *Collector) Read() Metrics {
	var m Metrics
	for name, s := range c.schedulers.all() {
		m.Schedulers = append(m.Schedulers, s.read(name, uint64(c.oneIn)))
	}
	for name, f := range c.functions.all() {
		m.Functions = append(m.Functions, f.read(name, uint64(c.oneIn)))
	}
	slices.SortFunc(m.Schedulers, func(a, b Scheduler) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Functions, func(a, b Function) int { return cmp.Compare(a.Name, b.Name) })
	return m
}

// String returns the sums as JSON. It makes a Collector a Var of package expvar.
func (c *Collector) String() string {
	text, err := json.Marshal(c.Read())
	if err != nil {
		return "null" // unreachable: everything can be encoded
	}
	return string(text)
}

// ServeHTTP implements http.Handler: it responds with [Collector.WriteText]. It does not check
// where a request comes from, since Prometheus usually runs on another host.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "metrics: they can only be read", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff") // names are users' texts
	_ = c.WriteText(w)                                  // an error means that the client has gone
}

// table holds values by name: up to a limit, and one for all other names.
type table[V any] struct {
	limit int

	mu     sync.RWMutex
	byName map[string]V
}

// other is the name for entries beyond a table's limit.
const other = "other"

// get returns the value of a name, and calls make if there is none yet.
func (t *table[V]) get(name string, make func() V) V {
	t.mu.RLock()
	v, ok := t.byName[name]
	t.mu.RUnlock()
	if ok {
		return v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok = t.byName[name]; ok {
		return v
	}
	if len(t.byName) >= t.limit {
		if v, ok = t.byName[other]; ok {
			return v
		}
		name = other
	}
	if t.byName == nil {
		t.byName = map[string]V{}
	}
	v = make()
	t.byName[name] = v
	return v
}

func (t *table[V]) all() map[string]V {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make(map[string]V, len(t.byName))
	for name, v := range t.byName {
		all[name] = v
	}
	return all
}
