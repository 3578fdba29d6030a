package natsstore

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/stores"
)

// index holds this process's knowledge of all instances that have a time or an owner, are stuck,
// or have ended. Take, Purge and the list of stuck instances use it. It follows the buckets, and
// learns of this process's own writes at once. It may lag behind; a claim compares revisions.
type index struct {
	mu     sync.Mutex // guards the fields below
	items  map[string]*item
	groups map[kind]*group
	owners map[string]*owner
	stuck  map[string]*item
	ended  map[string]*item
	shards []progress
}

// progress records how far one bucket has been followed.
type progress struct {
	position uint64
	absent   []absence // in order
}

// absence is an item that is kept only because the bucket has not been followed past it.
type absence struct {
	id  string
	seq uint64
}

// kind is what a worker must serve to run an instance.
type kind struct{ function, step, layout string }

func (n note) kind() kind { return kind{n.Function, n.Step, n.Layout} }

// record returns what a Taking needs to know of such an instance.
func (k kind) record() *stores.Record {
	return &stores.Record{Function: k.function, Step: k.step, Layout: k.layout}
}

// group is the instances of a kind that become due, the earliest first.
type group struct {
	kind
	queue
}

// owner is a worker and the instances that it owns.
type owner struct {
	seq   uint64 // the revision of its lease
	lease int64  // when its lease ends
	here  bool   // this process has written the lease
	items map[string]*item
}

// item is an instance. It is in a group, has an owner, or neither.
type item struct {
	id        string
	seq       uint64
	group     *group
	owner     *owner
	due       int64 // when it can be taken: its wake-up, or when it is no longer hidden
	updated   int64
	shard     int32
	heapIndex int32 // in its group's queue; -1: it is not in it
	taken     bool  // at this revision: by this process, or perhaps by one that has died
}

// queue is a heap of items.
type queue []*item

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return compareDue(q[i], q[j]) < 0
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].heapIndex, q[j].heapIndex = int32(i), int32(j)
}

func (q *queue) Push(x any) {
	it := x.(*item)
	it.heapIndex = int32(len(*q))
	*q = append(*q, it)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	it := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	it.heapIndex = -1
	return it
}

// compareDue is the order in which instances are taken.
func compareDue(a, b *item) int {
	return cmp.Or(cmp.Compare(a.due, b.due), strings.Compare(a.id, b.id))
}

func newIndex(shards int) *index {
	return &index{
		items: map[string]*item{}, groups: map[kind]*group{}, owners: map[string]*owner{},
		stuck: map[string]*item{}, ended: map[string]*item{}, shards: make([]progress, shards),
	}
}

// apply records a revision of an entry, unless a later one is known. own says that this process
// wrote the revision, so that the bucket still has to be followed up to it. apply reports whether
// the instance may be due.
func (x *index) apply(shard int, id string, seq uint64, n note, own bool) (wakes bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	it := x.items[id]
	if it != nil && it.seq >= seq {
		return false
	}
	if it == nil {
		it = &item{id: id, heapIndex: -1, shard: int32(shard)}
		x.items[id] = it
	}
	x.remove(it)
	it.seq, it.taken = seq, false
	if n.Updated != nil {
		it.updated = *n.Updated
	}
	isKept := true
	switch {
	case n.Owner != "":
		it.group, it.owner, it.due = x.group(n.kind()), x.owner(n.Owner), 0
		it.owner.items[id] = it
	case n.Wake != nil:
		it.group, it.due = x.group(n.kind()), *n.Wake
		heap.Push(&it.group.queue, it)
		wakes = true
	default:
		isKept = false
	}
	switch {
	case n.Status == stores.Stuck:
		it.group = x.group(n.kind())
		x.stuck[id] = it
	case n.Status.Ended():
		x.ended[id] = it
	case isKept:
	case own && x.shards[shard].position < seq:
		x.shards[shard].absent = append(x.shards[shard].absent, absence{id, seq})
	default:
		delete(x.items, id)
	}
	return wakes
}

// remove removes an item from every collection except items.
func (x *index) remove(it *item) {
	if it.heapIndex >= 0 {
		heap.Remove(&it.group.queue, int(it.heapIndex))
	}
	if it.owner != nil {
		delete(it.owner.items, it.id)
	}
	it.owner, it.group = nil, nil
	delete(x.stuck, it.id)
	delete(x.ended, it.id)
}

// forget removes an instance that is gone, unless a later revision is known.
func (x *index) forget(id string, seq uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if it := x.items[id]; it != nil && it.seq <= seq {
		x.remove(it)
		delete(x.items, id)
	}
}

// advance records how far a bucket has been followed.
func (x *index) advance(shard int, position uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f := &x.shards[shard]
	f.position = max(f.position, position)
	n := 0
	for n < len(f.absent) && f.absent[n].seq <= f.position {
		a := f.absent[n]
		if it := x.items[a.id]; it != nil && it.seq == a.seq {
			delete(x.items, a.id)
		}
		n++
	}
	f.absent = slices.Delete(f.absent, 0, n)
}

// position returns how far a bucket has been followed.
func (x *index) position(shard int) uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shards[shard].position
}

// markDue records that an instance was due when the store was opened: a taker of an earlier
// process may have died with it.
func (x *index) markDue(id string, now int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if it := x.items[id]; it != nil && it.heapIndex >= 0 && it.due <= now {
		it.taken = true
	}
}

// reset forgets the contents of a bucket that has been replaced.
func (x *index) reset(shard int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, it := range x.items {
		if int(it.shard) == shard {
			x.remove(it)
			delete(x.items, id)
		}
	}
	x.shards[shard] = progress{}
}

func (x *index) group(k kind) *group {
	g := x.groups[k]
	if g == nil {
		g = &group{kind: k}
		x.groups[k] = g
	}
	return g
}

func (x *index) owner(name string) *owner {
	o := x.owners[name]
	if o == nil {
		o = &owner{items: map[string]*item{}}
		x.owners[name] = o
	}
	return o
}

// lease records until when a worker lives.
func (x *index) lease(worker string, seq uint64, until int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.owner(worker); o.seq < seq {
		o.seq, o.lease = seq, until
	}
}

// markOwn records that this process writes the lease of a worker.
func (x *index) markOwn(worker string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.owner(worker).here = true
}

// alone reports whether workers of this process live, and no others.
func (x *index) alone(now int64) (alone bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.owners {
		if o.lease <= now {
			continue
		}
		if alone = o.here; !alone {
			return false
		}
	}
	return alone
}

// expiredWorkers returns the workers whose leases ended before a time and that own nothing, with
// the revisions of the leases.
func (x *index) expiredWorkers(before int64) map[string]uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := map[string]uint64{}
	for name, o := range x.owners {
		if o.seq > 0 && o.lease < before && len(o.items) == 0 {
			list[name] = o.seq
		}
	}
	return list
}

// forgetWorker removes a worker that expiredWorkers has returned.
func (x *index) forgetWorker(name string, seq uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.owners[name]; o != nil && o.seq == seq && len(o.items) == 0 {
		delete(x.owners, name)
	}
}

// foundItem is a copy of an item's state at the time of a search.
type foundItem struct {
	id    string
	shard int
	seq   uint64
	due   int64
	lost  bool // an earlier taker may have died
}

// take hides due instances until a time, and returns them, the oldest first.
func (x *index) take(t stores.Taking, limit int) (list []foundItem) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := nanos.Of(t.Now)
	var due []*item
	for _, g := range x.groups {
		if !g.servedBy(t) {
			continue
		}
		from := len(due)
		for len(due)-from < limit && len(g.queue) > 0 && g.queue[0].due <= now {
			due = append(due, heap.Pop(&g.queue).(*item))
		}
		for _, it := range due[from:] {
			heap.Push(&g.queue, it)
		}
	}
	for _, o := range x.owners {
		if o.lease > now {
			continue
		}
		for _, it := range o.items {
			if it.due <= now && it.group.servedBy(t) {
				it.due = max(it.due, o.lease)
				due = append(due, it)
			}
		}
	}
	slices.SortFunc(due, compareDue)
	until := nanos.Of(t.Now.Add(t.Hide))
	for _, it := range due[:min(len(due), limit)] {
		list = append(list, foundItem{it.id, int(it.shard), it.seq, it.due, it.taken})
		it.taken = true
		it.hide(until)
	}
	return list
}

// servedBy reports whether a worker serves the group.
func (g *group) servedBy(t stores.Taking) bool { return t.Serves(g.record()) }

// foreign counts due instances whose layouts a worker does not know.
func (x *index) foreign(t stores.Taking) (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := nanos.Of(t.Now)
	for _, g := range x.groups {
		if t.Refuses(g.record()) {
			n += g.countDue(now, t.Limit-n)
		}
	}
	for _, o := range x.owners {
		if o.lease > now {
			continue
		}
		for _, it := range o.items {
			if n < t.Limit && it.due <= now && t.Refuses(it.group.record()) {
				n++
			}
		}
	}
	return n
}

// countDue counts the items that are due, up to a limit.
func (q queue) countDue(now int64, limit int) (n int) {
	for _, it := range q {
		if n == limit {
			break
		}
		if it.due <= now {
			n++
		}
	}
	return n
}

// hide sets when an item can be taken.
func (it *item) hide(until int64) {
	it.due = until
	if it.heapIndex >= 0 {
		heap.Fix(&it.group.queue, int(it.heapIndex))
	}
}

// hide sets when an instance can be taken, and whether it is taken now, if it has not changed
// since it was found.
func (x *index) hide(f foundItem, until int64, taken bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if it := x.items[f.id]; it != nil && it.seq == f.seq {
		it.taken = taken
		it.hide(until)
	}
}

// next returns when the next instance can be taken; zero: not without a change.
func (x *index) next(t stores.Taking) (soonest time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var first *int64
	consider := func(due int64) {
		if first == nil || due < *first {
			first = &due
		}
	}
	for _, g := range x.groups {
		if len(g.queue) > 0 && g.servedBy(t) {
			consider(g.queue[0].due)
		}
	}
	for _, o := range x.owners {
		for _, it := range o.items {
			if it.group.servedBy(t) {
				consider(max(it.due, o.lease))
			}
		}
	}
	return nanos.Time(first)
}

// stuckIDs returns the ids of the stuck instances of a function, or of all, in order.
func (x *index) stuckIDs(f stores.Filter) (ids []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, it := range x.stuck {
		if id > f.After && (f.Function == "" || it.group.function == f.Function) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// endedBefore returns at most limit instances that ended before a time.
func (x *index) endedBefore(before int64, limit int) (list []foundItem) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, it := range x.ended {
		if len(list) < limit && it.updated < before {
			list = append(list, foundItem{id, int(it.shard), it.seq, 0, false})
		}
	}
	return list
}
