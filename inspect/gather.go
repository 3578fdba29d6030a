package inspect

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # A million machines in about a second
//
// Nearly all machines of a program are suspended in a few chains of functions. Such a chain is a
// list of pairs: the type of a frame and the number of its suspension point. So a report first
// counts chains of pairs, with one map lookup per frame. Lines, names and texts are made only
// once per chain and once for an example of it.

const (
	stackCap    = 128    // frames of one machine that are distinguished
	examplesCap = 16     // how often the example of a group is replaced by an older one
	locksCap    = 10_000 // locks that are distinguished
)

// gatherer is a report in the making.
type gatherer struct {
	now    int64
	points []tracking.Point
	nodes  map[step]int32
	tree   []node
	groups map[groupKey]*group
	locks  map[any]*lock
	homes  []home
	report *Report
}

// step is an edge in the tree of chains, from one node to a caller.
type step struct {
	from  int32
	frame reflect.Type
	state int32
}

// node is a chain of frames, from the innermost up to this one.
type node struct {
	callee int32 // the node below
	place  schedulers.Place
	bytes  int64
}

type groupKey struct {
	node  int32
	more  int
	waits reflect.Type
}

type group struct {
	Group

	since    int64
	examples int
	queue    queue // that the example waits for, or nil
}

// queue is a channel. Its methods take its lock, so they must not be called while a machine is
// kept from continuing.
type queue = interface {
	Len() int
	Cap() int
}

type lock struct {
	Lock

	holder schedulers.Named
}

type home struct {
	scheduler schedulers.Scheduler
	suspended int
}

// holderReporter is an operation of package coord that reports which lock its waiter waits for,
// and that lock's holder.
type holderReporter interface {
	Held() (lock any, by schedulers.Named)
}

func gather() *Report {
	g := &gatherer{
		now:    tracking.Now(),
		points: make([]tracking.Point, 0, stackCap),
		nodes:  map[step]int32{},
		tree:   make([]node, 1),
		groups: map[groupKey]*group{},
		locks:  map[any]*lock{},
		report: &Report{Time: time.Now(), Tracking: probe.On(probe.Tables)},
	}
	tracking.Each(g.add)
	for _, p := range g.groups {
		if q := p.queue; q != nil {
			p.Example.Waits += fmt.Sprintf(", with %d of %d queued", q.Len(), q.Cap())
		}
		g.report.Groups = append(g.report.Groups, p.Group)
	}
	slices.SortFunc(g.report.Groups, compareGroups)
	for _, l := range g.locks {
		l.Holder = nameOf(l.holder)
		g.report.Locks = append(g.report.Locks, l.Lock)
	}
	slices.SortFunc(g.report.Locks, func(a, b Lock) int {
		return cmp.Or(b.Waiters-a.Waiters, strings.Compare(a.What, b.What), strings.Compare(a.Holder, b.Holder))
	})
	g.report.Cycles = findCycles(g.locks)
	g.addJobs()
	g.addSchedulers()
	return g.report
}

func compareGroups(a, b Group) int {
	return cmp.Or(b.Count-a.Count, slices.CompareFunc(a.Stack, b.Stack, func(p, q schedulers.Place) int {
		return cmp.Or(strings.Compare(p.Function, q.Function), p.Line-q.Line)
	}), strings.Compare(a.Waits, b.Waits))
}

// add counts one machine, which cannot continue during the call.
func (g *gatherer) add(r *tracking.Record) {
	g.report.Suspended++
	points, more := r.Machine.Points(g.points[:0])
	var index int32
	for i := range points {
		index = g.step(index, &points[i])
	}
	key := groupKey{index, more, reflect.TypeOf(r.Awaited)}
	p := g.groups[key]
	if p == nil {
		p = &group{since: r.Since, Group: Group{Stack: g.stack(index), More: more, Waits: kindOf(r.Awaited), Bytes: g.tree[index].bytes}}
		p.setExample(g, r)
		g.groups[key] = p
	}
	p.Count++
	if r.Since < p.since {
		p.since = r.Since
		if p.examples++; p.examples < examplesCap {
			p.setExample(g, r)
		}
	}
	p.Oldest = time.Duration(max(0, g.now-p.since))
	g.addLock(r)
	g.addHome(r.Machine.Home().Scheduler, 1)
	clear(points)
}

// setExample makes a machine the example of the group.
func (p *group) setExample(g *gatherer, r *tracking.Record) {
	p.Example, p.queue = g.machine(r), nil
	if on, ok := r.Awaited.(interface{ Queue() queue }); ok {
		p.queue = on.Queue()
	}
}

// step returns the node for the frame p called from above the node from.
func (g *gatherer) step(from int32, p *tracking.Point) int32 {
	s := step{from, reflect.TypeOf(p.Frame), p.State}
	index, ok := g.nodes[s]
	if ok {
		return index
	}
	n := node{callee: from, place: schedulers.Place{Function: strings.TrimPrefix(s.frame.String(), "*")}, bytes: g.tree[from].bytes}
	if at, ok := statemachine.LocationOf(p.Frame); ok {
		n.place = at
	}
	if s.frame.Kind() == reflect.Pointer {
		n.bytes += int64(s.frame.Elem().Size())
	}
	index = int32(len(g.tree))
	g.nodes[s] = index
	g.tree = append(g.tree, n)
	return index
}

// stack returns the functions of a node, the innermost first.
func (g *gatherer) stack(index int32) (stack []schedulers.Place) {
	for ; index != 0; index = g.tree[index].callee {
		stack = append(stack, g.tree[index].place)
	}
	slices.Reverse(stack)
	return stack
}

func (g *gatherer) addLock(r *tracking.Record) {
	h, ok := r.Awaited.(holderReporter)
	if !ok {
		return
	}
	what, by := h.Held()
	if what == nil {
		return
	}
	l := g.locks[what]
	if l == nil {
		if len(g.locks) == locksCap {
			return
		}
		l = &lock{Lock: Lock{What: kindOf(r.Awaited)}}
		g.locks[what] = l
	}
	l.holder = by
	l.Waiters++
}

// addHome counts n suspended machines for a scheduler.
func (g *gatherer) addHome(s schedulers.Scheduler, n int) {
	for i := range g.homes {
		if dispatch.Same(g.homes[i].scheduler, s) {
			g.homes[i].suspended += n
			return
		}
	}
	if len(g.homes) < 100 {
		g.homes = append(g.homes, home{s, n})
	}
}

func (g *gatherer) addSchedulers() {
	for _, h := range g.homes {
		s := Scheduler{Name: truncate.Name(schedulers.NameOf(h.scheduler)), Suspended: h.suspended}
		if m, ok := h.scheduler.(schedulers.Meter); ok {
			s.Metrics, s.Metered = m.Metrics(), true
		}
		g.report.Schedulers = append(g.report.Schedulers, s)
	}
}

// machine describes one machine.
func (g *gatherer) machine(r *tracking.Record) Machine {
	m := Machine{Since: time.Duration(max(0, g.now-r.Since))}
	if h, ok := r.Machine.Handle().(job.Handle); ok {
		m.Name = nameOf(h)
	}
	m.Waits, m.Holder = describe(r.Awaited, r.Since, g.now)
	return m
}

// describe returns what a machine suspended since the given time waits for, and the holder if it
// is a lock.
func describe(on any, since, now int64) (waits, holder string) {
	waits = kindOf(on)
	switch on := on.(type) {
	case tracking.Sleep:
		waits = "sleep, due in " + round(time.Duration(since-now)+time.Duration(on)).String()
	case probe.Reasoner:
		waits, holder = on.Reason()
	case job.Handle:
		waits = fmt.Sprintf("job %s, %v", nameOf(on), on.Status())
	}
	if h, ok := on.(holderReporter); ok {
		_, by := h.Held()
		holder = nameOf(by)
	}
	return truncate.Name(waits), truncate.Name(holder)
}

// kindOf returns the kind of an operation, without the identity of the instance.
func kindOf(on any) string {
	switch on := on.(type) {
	case tracking.Sleep:
		return "sleep"
	case probe.Reasoner:
		what, _ := on.Reason()
		return truncate.Name(what)
	case job.Handle:
		return "job"
	}
	return truncate.Name(strings.TrimPrefix(fmt.Sprintf("%T", on), "*"))
}

// nameOf returns a job's name in quotes, or its ID as #n; "" if n is nil.
func nameOf(n schedulers.Named) string {
	if n == nil {
		return ""
	}
	if name := n.Name(); name != "" {
		return fmt.Sprintf("%q", truncate.Name(name))
	}
	if h, ok := n.(interface{ ID() uint64 }); ok {
		return fmt.Sprintf("#%d", h.ID())
	}
	return ""
}

// round rounds a duration to a readable length.
func round(d time.Duration) time.Duration {
	switch {
	case d > time.Minute:
		return d.Round(time.Second)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	default:
		return d.Round(time.Microsecond)
	}
}
