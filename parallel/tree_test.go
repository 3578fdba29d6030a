package parallel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// tree is a random program: what a node does follows from its seed alone, so a plain
// recursion knows its result, and the number of nodes.
type tree struct {
	ran atomic.Int64
}

type node struct {
	seed  uint64
	depth int
}

func (n node) child(i int) node {
	return node{n.seed*6364136223846793005 + uint64(i)*1442695040888963407 + 1, n.depth - 1}
}

func (n node) random() *rand.Rand { return rand.New(rand.NewPCG(n.seed, 1)) }

// plain is the program without forks.
func (n node) plain() (sum uint64, nodes int64) {
	sum, nodes = n.seed, 1
	if n.depth == 0 {
		return sum, nodes
	}
	for i := range n.children() {
		s, k := n.child(i).plain()
		sum += s * uint64(i+1)
		nodes += k
	}
	return sum, nodes
}

func (n node) children() int {
	switch k := n.random().IntN(8); {
	case k < 5:
		return 2
	default:
		return k
	}
}

// walk is the program with forks of all kinds.
func (t *tree) walk(w *Worker, n node) uint64 {
	t.ran.Add(1)
	if n.depth == 0 {
		if n.seed%7 == 0 {
			runtime.Gosched()
		}
		return n.seed
	}
	r := n.random()
	k := r.IntN(8)
	switch {
	case k < 3:
		a, b := Join(w, t.walk, n.child(0), n.child(1))
		return n.seed + a + 2*b
	case k < 5:
		a, b := Join2(w,
			func(w *Worker) uint64 { return t.walk(w, n.child(0)) },
			func(w *Worker) uint64 { return t.walk(w, n.child(1)) })
		return n.seed + a + 2*b
	default:
		return n.seed + t.walkForks(w, n, k, r)
	}
}

// walkForks joins its forks in a random order, and leaves some others to be joined at
// the end.
func (t *tree) walkForks(w *Worker, n node, k int, r *rand.Rand) (sum uint64) {
	forks := make([]Forked[node, uint64], k)
	for i := range forks {
		forks[i] = Fork(w, t.walk, n.child(i))
		if r.IntN(4) == 0 {
			Fork(w, func(*Worker, int) int { return 0 }, i) // another type, and it is not joined
		}
	}
	for _, i := range r.Perm(k) {
		sum += uint64(i+1) * forks[i].Join(w)
	}
	return sum
}

func TestRandomProgramsOfForksAreThePlainPrograms(t *testing.T) {
	p := pool.New(pool.Workers(3, 3))
	for name, s := range map[string]schedulers.Scheduler{"goroutines": each{}, "pool": p, "inline": inline{}, "no helper comes": &held{}} {
		ctx := schedulers.With(context.Background(), s)
		for seed := range uint64(6) {
			root := node{seed*977 + 1, 6}
			sum, nodes := root.plain()
			for _, degree := range []int{1, 2, 3, 8} {
				var walk tree
				got, err := Run(ctx, func(w *Worker) (uint64, error) {
					s := walk.walk(w, root)
					w.joinAbove(0)
					return s, nil
				}, Degree(degree))
				where := fmt.Sprintf("%s, seed %d, degree %d", name, seed, degree)
				require.NoError(t, err, where)
				require.Equal(t, sum, got, where)
				require.Equal(t, nodes, walk.ran.Load(), where)
			}
		}
	}
	require.NoError(t, p.Shutdown(context.Background()))
}

// stumble is a program in which nodes panic, and other nodes recover and count what
// they lost.
func stumble(w *Worker, n node) (lost int) {
	if n.depth == 0 {
		if n.seed%5 == 0 {
			panic(n.seed)
		}
		return 0
	}
	if n.seed%3 == 0 {
		defer func() {
			if recover() != nil {
				lost = 1
			}
		}()
	}
	a, b := Join(w, stumble, n.child(0), n.child(1))
	return a + b
}

func stumblePlain(n node) (lost int) {
	if n.depth == 0 {
		if n.seed%5 == 0 {
			panic(n.seed)
		}
		return 0
	}
	if n.seed%3 == 0 {
		defer func() {
			if recover() != nil {
				lost = 1
			}
		}()
	}
	return stumblePlain(n.child(0)) + stumblePlain(n.child(1))
}

func TestRandomProgramsThatPanicAndRecoverAreThePlainPrograms(t *testing.T) {
	ctx := schedulers.With(context.Background(), each{})
	crashes := 0
	for seed := range uint64(30) {
		root := node{seed*131 + 2, 8}
		lost, crash := func() (lost int, crash any) {
			defer func() { crash = recover() }()
			return stumblePlain(root), nil
		}()
		if crash != nil {
			crashes++
		}
		for _, degree := range []int{1, 2, 4} {
			got, err := Run(ctx, func(w *Worker) (int, error) { return stumble(w, root), nil }, Degree(degree))
			if crash == nil {
				require.NoError(t, err)
				require.Equal(t, lost, got)
			} else {
				require.ErrorContains(t, err, fmt.Sprint("panic: ", crash), "the one that comes first in plain Go")
			}
		}
	}
	assert.Positive(t, crashes)
}
