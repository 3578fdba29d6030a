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

// Option changes what [Collect] measures or [Log] writes.
type Option struct{ sample int }

// OneIn measures about one of n work items and jobs, and scales the counts up. n is
// rounded up to a power of two; below 2 it means all.
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

// Collector measures. Make one with [Collect]. All methods are safe for concurrent use.
// It is an http.Handler that answers in the text format of Prometheus, and a Var of
// package expvar.
type Collector struct {
	among      int // 1 in so many is measured
	schedulers table[*scheduler]
	functions  table[*function]
	works      times // of works in queues
	lives      lives
	stop       func()
}

// Collect begins to measure. It does not block.
func Collect(opts ...Option) *Collector {
	c := &Collector{among: sampleOf(opts)}
	c.schedulers.most, c.functions.most = 100, 1000
	works := schedulers.Observe(c.hearWork, schedulers.OneIn(c.among))
	jobs := inspect.Observe(c.hearJob, inspect.Sample(c.among))
	c.stop = sync.OnceFunc(func() {
		works()
		jobs()
	})
	return c
}

// Stop ends the measuring. The sums stay. It does not block, and may be called more than
// once.
func (c *Collector) Stop() { c.stop() }

// Metrics are the sums since a collector was made.
type Metrics struct {
	Schedulers []Scheduler // by name
	Functions  []Function  // by name
}

// Scheduler is what the schedulers of one name have done. Times are in seconds.
type Scheduler struct {
	Name string

	Submitted, Refused, Begun, Ended, Abandoned, Inlined uint64 // works
	Stolen                                               uint64 // works
	Injected                                             uint64 // workers, for others that wait
	Queued, Running                                      uint64 // works, now
	Workers                                              uint64 // now

	Start   Histogram // the time that works were queued
	Run     Histogram // of works
	Blocked Histogram // the time of a wait in the middle of work
	Parked  Histogram // the time that a worker slept
	Depth   Histogram // the number of queued works that a submission found
}

// Function is what the jobs of one function have done. Times are in seconds.
type Function struct {
	Name string
	Live uint64 // jobs, now

	Start       Histogram // the time until a job was started
	Run         Histogram // of a job from one suspension to the next
	Suspended   Histogram // the time of a suspension, up to the next run
	Suspensions Histogram // their number in the life of a job
}

// Read returns the sums. Those of one line were not read at the same moment.
func (c *Collector) Read() Metrics {
	var m Metrics
	for name, s := range c.schedulers.all() {
		m.Schedulers = append(m.Schedulers, s.read(name, uint64(c.among)))
	}
	for name, f := range c.functions.all() {
		m.Functions = append(m.Functions, f.read(name, uint64(c.among)))
	}
	slices.SortFunc(m.Schedulers, func(a, b Scheduler) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Functions, func(a, b Function) int { return cmp.Compare(a.Name, b.Name) })
	return m
}

// String returns the sums as JSON: it makes a Collector a Var of package expvar.
func (c *Collector) String() string {
	text, err := json.Marshal(c.Read())
	if err != nil {
		return "null" // there is nothing that cannot be encoded
	}
	return string(text)
}

// ServeHTTP implements http.Handler: it answers with [Collector.WriteText]. It does not
// ask where a request comes from, since Prometheus is elsewhere.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "metrics: they can only be read", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_ = c.WriteText(w) // an error means that the client has gone
}

// table has values by name: at most so many, and one for all others.
type table[V any] struct {
	most int

	mu     sync.RWMutex
	byName map[string]V
}

// other is the name of what is beyond a table.
const other = "other"

// of returns the value of a name, which make makes if need be.
func (t *table[V]) of(name string, make func() V) V {
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
	if len(t.byName) >= t.most {
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
