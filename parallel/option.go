package parallel

import (
	"fmt"
	"runtime"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// Option changes how one operation is carried out. Options are plain values, so
// that passing them allocates nothing. If two options conflict, the later one wins; an
// operation ignores options that do not concern it.
type Option struct {
	kind  optionKind
	value int
}

type optionKind uint8

const (
	optionNone optionKind = iota
	optionDegree
	optionPartition
	optionChunk
	optionCompleted
)

// Degree sets the maximum number of bodies that run at a time, including the caller's.
// Zero means the default, which is GOMAXPROCS. A negative degree makes the operation
// return [ErrOption].
//
// It is an upper bound: a scheduler whose workers are busy elsewhere sends fewer,
// and with none the caller does everything itself. To run many bodies that block
// their goroutines, use a scheduler with as many workers and [Chunk] of 1 (by
// default the first participant takes many items), or [ForEachAsync]. At most 65536
// goroutines take part in one operation.
//
// In [ForEachAsync] and [MapAsync], and if bodies suspend, it bounds the bodies
// in flight: a body counts until it, or the job that it returned, has ended, even
// while that waits and holds no goroutine. Use it for a server that can handle
// ten queries at a time, as Scope.Limit of package job is used for the children
// of a scope.
func Degree(n int) Option { return Option{optionDegree, n} }

// Chunk makes each participant take n items at a time, from the front, using one
// shared counter. Zero means the default, which is [Stealing]; a negative n makes
// the operation return [ErrOption].
//
// Use it if each item takes long and the order matters (1 starts them in order), or if n
// items fit a cache. A sequence yields one item at a time by default; with a chunk size
// it yields n, which costs less per item, but the first of them waits for the last. For
// [Reduce] it is the size of the blocks.
func Chunk(n int) Option { return Option{optionChunk, n} }

// Range cuts the items into one contiguous part for each participant, all of the same
// size. A part is never cut again, so use it only if all items cost the same: neighbours
// then stay together, and a second loop over the same data gets the same parts.
func Range() Option { return Option{optionPartition, int(partitionRange)} }

// Stealing is the default: the first participant owns all items and takes them in
// ever smaller bites; each other one takes half of what another has left. It
// suits items whose costs differ and are not known.
func Stealing() Option { return Option{optionPartition, int(partitionStealing)} }

// Ordered is the default: [Map], [MapAsync] and [Stage] return results in the order of
// their items.
func Ordered() Option { return Option{optionCompleted, 0} }

// AsCompleted makes [Map], [MapAsync] and [Stage] return results in the order in which
// they were completed.
func AsCompleted() Option { return Option{optionCompleted, 1} }

// settings holds all options of one operation.
type settings struct {
	degree      int
	partition   partition
	chunk       int
	asCompleted bool
}

// partition is a way to cut the items of a loop.
type partition uint8

const (
	partitionStealing partition = iota
	partitionRange
	partitionChunk
)

func settingsOf(opts []Option) (settings, error) {
	var s settings
	for _, o := range opts {
		switch o.kind {
		case optionNone:
		case optionDegree:
			s.degree = o.value
		case optionPartition:
			s.partition, s.chunk = partition(o.value), 0
		case optionChunk:
			s.partition, s.chunk = partitionStealing, o.value
			if o.value > 0 {
				s.partition = partitionChunk
			}
		case optionCompleted:
			s.asCompleted = o.value != 0
		}
	}
	switch {
	case s.degree < 0:
		return s, fmt.Errorf("%w: degree %d is negative", ErrOption, s.degree)
	case s.chunk < 0:
		return s, fmt.Errorf("%w: chunk of %d items", ErrOption, s.chunk)
	case s.degree == 0:
		s.degree = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// maxMembers bounds the objects made per member of an operation whose degree
// means "as many as you like".
const maxMembers = 1 << 16

// members returns how many goroutines an operation may have.
func (s settings) members() int { return min(s.degree, maxMembers) }

// helpers returns how many workers of a scheduler an operation can use in addition to
// its caller. That is at most the number of workers that the scheduler can ever run at
// the same time.
func (s settings) helpers(sched schedulers.Scheduler, caller schedulers.Worker) int {
	n := s.members() - 1
	l, ok := sched.(schedulers.Limiter)
	if !ok {
		return n
	}
	limit := l.MaxConcurrency()
	if limit <= 0 {
		return n
	}
	if caller != nil && dispatch.Same(caller.Scheduler(), sched) {
		limit-- // the caller's own worker
	}
	return min(n, limit)
}
