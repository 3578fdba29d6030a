// Package tracking keeps the table of the suspended machines of a program, for package
// inspect. While no machine is tracked, a suspension costs one load of a pointer, and a
// resumption one check of its frame.
//
// # Permission to read a machine
//
// A suspended machine belongs to the operation that it waits for, which may let it continue
// at any moment, and its fields are plain variables. So a reader has to prevent it from
// continuing, and must not delay any other machine.
//
//	the machine                         the waker                      a reader
//	 1. Enter: lock the shard,           1. owns the machine now        1. lock the shard
//	    enter it, unlock                 2. Leave: lock the shard,      2. read the entries
//	 2. register with the operation         remove it, unlock           3. unlock
//	                                     3. submit it
//
// Proof. A machine's fields were written before the end of its step 1, and change only after
// step 3 of the waker. The lock orders both with the reader's step 2. So a reader sees the
// machine exactly as it was when it suspended.
//
// It is tempting to let readers copy the table first and read the machines
// afterwards. But by then machines have continued, and their frames are being
// written.
//
// There are 64 locks, and a reader holds one for a hundred machines at a time. The shard of a
// machine is chosen at random, so machines that suspend at the same time rarely contend.
package tracking

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/schedulers"
)

// Machine is a suspended machine; package statemachine implements it. Its methods may be
// called while it is entered, under the lock of its shard, that is, by the function that
// [Each] calls. They do not block.
type Machine interface {
	// Points appends the suspended calls to buf, the innermost first, up to its capacity;
	// more is the number of further ones.
	Points(buf []Point) (points []Point, more int)

	// Handle returns the job.Handle of the outermost call, or nil if it is not known.
	Handle() any

	// Home returns the scheduler on which it resumes.
	Home() *schedulers.Home
}

// Point is a suspended call: its frame, whose type identifies the function, and the number
// of the suspension point. The two determine a line of the source.
type Point struct {
	Frame any
	State int32
}

// Sleep is the operation of a machine that sleeps. Its value is the duration of the sleep,
// which begins at the suspension.
type Sleep time.Duration

// Record is one suspended machine.
type Record struct {
	Machine Machine
	Awaited any   // the operation that it waits for
	Since   int64 // when it was suspended; see Now
}

// Filter selects the machines, and the jobs with a function, that are tracked.
type Filter struct {
	Among   uint64 // about one job in this many may be selected; see [sample.OneIn]
	Machine func(m Machine) bool
	Job     func(job any) bool
}

// switches are the settings that machines read when they suspend. They are immutable.
type switches struct {
	filter   *Filter
	listener *Listener
}

var (
	current atomic.Pointer[switches] // nil: nothing is tracked or watched
	base    = time.Now()

	changes sync.Mutex // guards the replacement of current
)

func change(f func(*switches)) {
	changes.Lock()
	defer changes.Unlock()
	var s switches
	if now := current.Load(); now != nil {
		s = *now
	}
	if f(&s); s.filter == nil && s.listener == nil {
		current.Store(nil)
		return
	}
	current.Store(&s)
}

// Now returns the time in the form of records: nanoseconds since the program
// started.
func Now() int64 { return int64(time.Since(base)) }

// Set starts to track the machines that f selects, from their next suspension on, and the
// jobs among those that are made from now on; nil: none. Entries made before remain until
// the machine continues or the job ends, or [Forget] is called.
func Set(f *Filter) {
	change(func(s *switches) { s.filter = f })
	probe.Set(probe.Tables, f != nil)
}

// Forget drops all entered machines and jobs. Their tickets stay in use until they continue
// or end.
func Forget() {
	for _, t := range []*table{&machines, &jobs} {
		t.each(func(r *Record) { r.Machine, r.Awaited = nil, nil })
		t.release()
	}
}

// Enter enters a machine that is about to register with on, if it is to be tracked, and tells the
// listener that it suspends. told is its job if its life is told, and nil otherwise. Enter
// returns the machine's ticket, which is 0 if no listener hears when the machine continues. Each
// ticket is returned by [Leave].
func Enter(m Machine, on, told any) (ticket uint32) {
	if s := current.Load(); s != nil && s.filter != nil && s.filter.Machine(m) {
		ticket = machines.enter(Record{m, on, Now()})
	}
	if told != nil {
		Tell(Life{Moment: Suspended, Job: told, Machine: m, Awaited: on})
		ticket = max(ticket, ToldOnly)
	}
	return ticket
}

// WantsJob reports whether a new job is to be tracked.
func WantsJob(job any) bool {
	s := current.Load()
	return s != nil && s.filter != nil && sample.OneIn(s.filter.Among, job) && s.filter.Job(job)
}

// EnterJob enters a job, as On of a record, and returns its ticket, which is not 0. Readers
// may read the job from then on. Each ticket is returned by [LeaveJob].
func EnterJob(job any) (ticket uint32) { return jobs.enter(Record{Awaited: job, Since: Now()}) }

// LeaveJob removes the job that has the ticket.
func LeaveJob(ticket uint32) { jobs.leave(ticket) }

// EachJob is [Each] for jobs.
func EachJob(f func(*Record)) { jobs.each(f) }

// Leave removes the machine that has the ticket.
func Leave(ticket uint32) {
	if ticket != ToldOnly {
		machines.leave(ticket)
	}
}

// Each calls f with the records of all entered machines, some at a time under a lock:
// f must neither block nor keep the record or the machine. Machines that are entered or
// removed meanwhile may be missing.
func Each(f func(*Record)) { machines.each(f) }

const (
	shardBits = 6
	shards    = 1 << shardBits
	chunkBits = 7
	chunkSize = 1 << chunkBits // 5 KB; a reader holds the lock for as many machines
)

// table holds records. A ticket combines the index of a record and the index of its shard.
type table [shards]shard

var machines, jobs table

func (t *table) enter(r Record) (ticket uint32) {
	n := rand.Uint32() % shards
	return t[n].enter(r)<<shardBits | n
}

func (t *table) leave(ticket uint32) { t[ticket%shards].leave(ticket >> shardBits) }

func (t *table) each(f func(*Record)) {
	for i := range t {
		t[i].each(f)
	}
}

func (t *table) release() {
	for i := range t {
		s := &t[i]
		s.mu.Lock()
		s.release()
		s.mu.Unlock()
	}
}

// shard is a part of the table. Index 0 is never used.
type shard struct {
	mu     sync.Mutex
	chunks []*[chunkSize]Record
	used   uint32 // the records up to this index have been used
	free   uint32 // the first free one among them, or 0; its Since is the index of the next
	live   int
}

func (s *shard) record(n uint32) *Record { return &s.chunks[n>>chunkBits][n%chunkSize] }

func (s *shard) enter(r Record) (index uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live++
	if index = s.free; index != 0 {
		s.free = uint32(s.record(index).Since)
	} else {
		s.used++
		index = s.used
		if int(index>>chunkBits) >= len(s.chunks) {
			s.chunks = append(s.chunks, new([chunkSize]Record))
		}
	}
	*s.record(index) = r
	return index
}

func (s *shard) leave(index uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.record(index) = Record{Since: int64(s.free)}
	s.free = index
	if s.live--; s.live == 0 {
		s.used, s.free = 0, 0
		s.release()
	}
}

// release frees the memory of a shard without records; mu is held. While tracking is on, it
// keeps some: otherwise records that are entered and removed one by one would each need a new
// chunk.
func (s *shard) release() {
	switch {
	case s.live > 0:
	case probe.On(probe.Tables) && len(s.chunks) > 0:
		clear(s.chunks[1:])
		s.chunks = s.chunks[:1]
	default:
		s.chunks = nil
	}
}

func (s *shard) each(f func(*Record)) {
	for n := 0; ; n++ {
		if !s.eachOf(n, f) {
			return
		}
	}
}

// eachOf is each for the chunk n. It returns false if there is none.
func (s *shard) eachOf(n int, f func(*Record)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= len(s.chunks) {
		return false
	}
	for i := range s.chunks[n] {
		if r := &s.chunks[n][i]; r.Machine != nil || r.Awaited != nil {
			f(r)
		}
	}
	return true
}
