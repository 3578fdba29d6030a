package simulation

import "math/rand/v2"

// # Looking ahead
//
// A choice at random among a hundred thousand turns reads memory that is in no cache: the turn,
// then the machine behind it. A step of half a microsecond spends half of that on waiting for it.
// So every eight steps the next eight choices are guessed, and what they need is read then:
// the processor fetches eight turns at the same time, and after them eight machines.
//
// The random numbers are known in advance. The number of turns is not, but it usually changes
// as it has changed last. A wrong guess reads something in vain, and changes nothing: each
// choice is made when its step comes. (To choose eight turns at once would need no guess. But
// then what one of their steps makes ready could not come next.)
//
// It is tempting to read, in each step, what the next one needs. But a step is full of locked
// instructions, and each of them waits for all reads before it.

const (
	// crowd is the number of turns from which on a look ahead pays: fewer are in the cache.
	crowd = 4096

	// ahead is the number of choices that are guessed at once.
	ahead = 8
)

// source is a source of random numbers that shows the next ones.
type source struct {
	pcg   rand.PCG
	ring  [ahead]uint64
	first int // the position of the next one in ring
}

func newSource(seed uint64) *source {
	s := &source{pcg: *rand.NewPCG(seed, 0)}
	for i := range s.ring {
		s.ring[i] = s.pcg.Uint64()
	}
	return s
}

// Uint64 implements [rand.Source].
func (s *source) Uint64() uint64 {
	v := s.ring[s.first]
	s.ring[s.first] = s.pcg.Uint64()
	s.first = (s.first + 1) % ahead
	return v
}

// peek returns what the i-th next call of Uint64 will return, from 0 on.
func (s *source) peek(i int) uint64 { return s.ring[(s.first+i)%ahead] }

// among returns the number below n that [rand.Rand.IntN] makes of v, unless n is a power of two or
// v is one of the few that it passes over.
func among(n int, v uint64) int { return int((v >> 32) * uint64(n) >> 32) }

// lookahead looks ahead from one choice to the next ones.
type lookahead struct {
	turns int // at the last choice
	steps int // since the last guesses

	// The guesses. They are sure for as long as they come true and nothing else changes the turns.
	rank, position [ahead]int // from 1 on; 0: not known
	changes        uint       // turns.changes at that time
	sure           bool
}

// toucher is a work item that reads its memory, so that it is in the cache. The result has no
// meaning: without it, nothing would be read.
type toucher interface{ Touch() bool }

// find returns the position of the k-th turn.
func (l *lookahead) find(ts *turns, k int) int {
	i := l.steps
	l.sure = l.sure && i < ahead && l.rank[i] == k && l.position[i] > 0 && ts.changes == l.changes+uint(i)
	if l.sure {
		return l.position[i]
	}
	return ts.find(k)
}

// look looks ahead, if it is time for that, when one of n turns was taken.
func (l *lookahead) look(ts *turns, s *source, n int) {
	change := n - l.turns
	l.turns = n
	if l.steps++; l.steps < ahead || n < crowd || change < -1 || change > 0 {
		return
	}
	l.steps, l.changes, l.sure = 0, ts.changes, true
	for i := range ahead {
		l.rank[i], l.position[i] = among(n+(i+1)*change, s.peek(i)), 0
		k := l.rank[i]
		for j := i - 1; j >= 0; j-- {
			if l.rank[j] <= k { // that turn will have been taken by then
				k++
			}
		}
		if k < ts.left {
			l.position[i] = ts.find(k)
		}
	}
	var what [ahead]any
	for i, p := range l.position {
		what[i] = ts.all[max(p-1, 0)].what
	}
	for _, w := range what {
		if m, is := w.(toucher); is {
			m.Touch()
		}
	}
}
