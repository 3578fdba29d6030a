package parallel

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// Sort sorts s in ascending order, several parts of it at a time. NaNs come first. It
// is not stable. It blocks, and its caller takes part; it allocates a second slice of
// the length of s.
//
// If ctx ends, or in a [SortFunc] the comparison panics, s still holds exactly the
// elements that it held, in some order, and the error is the reason. Otherwise, errors
// are as in [For].
func Sort[S ~[]E, E cmp.Ordered](ctx context.Context, s S, opts ...Option) error {
	return sortBy(ctx, s, sorter[E]{sort: slices.Sort[[]E], less: cmp.Less[E]}, opts)
}

// SortFunc is [Sort] with the order that compare defines, as for slices.SortFunc.
// It is called on several goroutines at a time.
func SortFunc[S ~[]E, E any](ctx context.Context, s S, compare func(a, b E) int, opts ...Option) error {
	if compare == nil {
		return ErrNilFunc
	}
	return sortBy(ctx, s, sorter[E]{
		sort: func(s []E) { slices.SortFunc(s, compare) },
		less: func(a, b E) bool { return compare(a, b) < 0 },
	}, opts)
}

// SortStableFunc is [SortFunc], except that it keeps the order of equal elements.
func SortStableFunc[S ~[]E, E any](ctx context.Context, s S, compare func(a, b E) int, opts ...Option) error {
	if compare == nil {
		return ErrNilFunc
	}
	return sortBy(ctx, s, sorter[E]{
		sort: func(s []E) { slices.SortStableFunc(s, compare) },
		less: func(a, b E) bool { return compare(a, b) < 0 },
	}, opts)
}

// sorter has the functions that sort a run that is too short to be cut, and that merge runs.
//
// # How a slice is sorted
//
// The slice is cut into a power of two of runs. Each is sorted in place. Then
// neighbouring runs are merged, into a second slice and back, until one run is left.
//
//	from   │ run │ run │ run │ run │       one level: all pairs at a time,
//	         ╲   ╱       ╲   ╱             and each pair in several pieces
//	into   │    run    │    run    │
//
// Towards the end there are fewer pairs than workers. So a pair is merged in pieces:
// piece k of the result begins after the first n elements of it, and a binary search
// finds how many of these n come from the left run (the merge path of Odeh et al.,
// 2012). Pieces share nothing, so the last level runs in parallel like the first one.
//
// # The state when it ends early
//
// A level reads the slice from and writes the slice into, never the other way round. So
// at each moment from holds all the elements, and if the sort ends early they are copied
// back from there. Within a run, sorting swaps elements. A recursion that merges each
// pair as soon as both runs are sorted is tempting, but it has no such invariant: half
// of the elements could be in one slice and half in the other.
//
// # A comparison that contradicts itself
//
// Two searches that disagree could put one element into two pieces. So the ends of all
// pieces of a level are found before the first piece is merged, and no end may come
// before the previous one.
type sorter[E any] struct {
	sort func([]E)
	less func(a, b E) bool

	opts       []Option
	from, into []E
	runs       int
	pieces     int // per pair
	ends       []int
}

const (
	minRun        = 2048 // elements; sorting these takes as long as some hundred submissions
	runsPerMember = 4    // so that runs which take longer do not make the others wait
)

func sortBy[E any](ctx context.Context, s []E, st sorter[E], opts []Option) error {
	o, err := settingsOf(opts)
	if err != nil {
		return err
	}
	st.opts = []Option{Degree(o.degree), Chunk(1)}
	st.from, st.runs = s, runsFor(len(s), o)
	defer func() {
		if len(s) > 0 && &st.from[0] != &s[0] {
			copy(s, st.from)
		}
	}()
	if err := st.sortRuns(ctx); err != nil {
		return err
	}
	if st.runs > 1 {
		st.into = make([]E, len(s))
	}
	for st.runs > 1 {
		if err := st.mergeRuns(ctx, runsPerMember*o.members()); err != nil {
			return err
		}
	}
	return nil
}

// runsFor returns how many runs n elements are cut into, a power of two.
func runsFor(n int, o settings) int {
	if o.degree == 1 {
		return 1
	}
	limit := max(1, min(n/minRun, runsPerMember*o.members()))
	return 1 << (bits.Len(uint(limit)) - 1)
}

// runStart returns where run i begins.
func (s *sorter[E]) runStart(i int) int {
	hi, lo := bits.Mul64(uint64(len(s.from)), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(s.runs))
	return int(q)
}

func (s *sorter[E]) sortRuns(ctx context.Context) error {
	return For(ctx, 0, s.runs, func(_ context.Context, i int) error {
		s.sort(s.from[s.runStart(i):s.runStart(i+1)])
		return nil
	}, s.opts...)
}

// mergeRuns is one level.
func (s *sorter[E]) mergeRuns(ctx context.Context, pieces int) error {
	pairs := s.runs / 2
	s.pieces = max(1, pieces/pairs)
	s.ends = make([]int, pairs*s.pieces)
	// A loop of one index, so that a failure of the comparison becomes the failure of a loop.
	err := For(ctx, 0, 1, func(context.Context, int) error {
		s.findEnds()
		return nil
	})
	if err != nil {
		return err
	}
	err = For(ctx, 0, len(s.ends), func(_ context.Context, i int) error {
		s.mergePiece(i)
		return nil
	}, s.opts...)
	if err != nil {
		return err
	}
	s.from, s.into = s.into, s.from
	s.runs = pairs
	return nil
}

// findEnds finds for each piece how much of the left run has been merged at the end of
// the piece.
func (s *sorter[E]) findEnds() {
	for i := range s.ends {
		left, right, first, last := s.piece(i)
		end := s.countLeft(left, right, last)
		begin := 0
		if first > 0 {
			begin = s.ends[i-1]
		}
		s.ends[i] = min(max(end, begin), begin+last-first)
	}
}

// piece returns the runs that piece i merges, and the number of elements of the result
// before it and before the next piece.
func (s *sorter[E]) piece(i int) (left, right []E, first, last int) {
	pair, k := i/s.pieces, i%s.pieces
	lo, mid, hi := s.runStart(2*pair), s.runStart(2*pair+1), s.runStart(2*pair+2)
	n := hi - lo
	return s.from[lo:mid], s.from[mid:hi], n / s.pieces * k, pieceEnd(n, s.pieces, k)
}

// pieceEnd returns the end of piece k of n elements; the last piece gets the remainder of
// the division.
func pieceEnd(n, pieces, k int) int {
	if k == pieces-1 {
		return n
	}
	return n / pieces * (k + 1)
}

// countLeft returns how many of the first n elements of the merged runs come from the
// left one. Of equal elements, those of the left run are first.
func (s *sorter[E]) countLeft(left, right []E, n int) int {
	lo, hi := max(0, n-len(right)), min(n, len(left))
	for lo < hi {
		// If the left run's element mid is not after the right run's element n-1-mid,
		// it is one of the first n.
		mid := int(uint(lo+hi) / 2)
		if s.less(right[n-1-mid], left[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

func (s *sorter[E]) mergePiece(i int) {
	left, right, first, last := s.piece(i)
	l := 0
	if first > 0 {
		l = s.ends[i-1]
	}
	r, lEnd := first-l, s.ends[i]
	rEnd := last - lEnd
	offset := s.runStart(i / s.pieces * 2)
	into := s.into[offset+first : offset+last]
	for k := range into {
		if r == rEnd || l < lEnd && !s.less(right[r], left[l]) {
			into[k] = left[l]
			l++
		} else {
			into[k] = right[r]
			r++
		}
	}
}
