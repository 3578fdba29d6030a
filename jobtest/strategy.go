package jobtest

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/movenext/movenext/schedulers/simulation"
)

// chooser makes the choices of one schedule.
type chooser func(turns []simulation.Turn) int

// strategy chooses schedules.
type strategy interface {
	// next returns the name and the chooser of the strategy's n-th schedule. horizon is the
	// number of choices in the longest schedule so far. A nil chooser means that none is left.
	next(r *rand.Rand, n, horizon int) (name string, c chooser)
}

type random struct{}

func (random) next(r *rand.Rand, _, _ int) (string, chooser) {
	return "random", func(turns []simulation.Turn) int { return r.IntN(len(turns)) }
}

type pos struct{}

func (pos) next(r *rand.Rand, _, _ int) (string, chooser) {
	priority := map[uint64]float64{}
	return "POS", func(turns []simulation.Turn) int {
		return highest(turns, func(t simulation.Turn) float64 {
			if t.Seq == 0 {
				return r.Float64()
			}
			return priorityOf(priority, t.Seq, r)
		})
	}
}

// priorityOf returns the priority of that number, and draws it at the first call.
func priorityOf(priorities map[uint64]float64, actor uint64, r *rand.Rand) float64 {
	p, known := priorities[actor]
	if !known {
		p = r.Float64()
		priorities[actor] = p
	}
	return p
}

// highest returns the first turn with the highest priority.
func highest(turns []simulation.Turn, priority func(simulation.Turn) float64) int {
	best, index := 0.0, -1
	for i, t := range turns {
		if p := priority(t); index < 0 || p > best {
			best, index = p, i
		}
	}
	return index
}

// pct is the depth; 0 means that depths rotate.
type pct int

// A machine that yields until another has done something would yield forever if it had the
// highest priority. So an actor that was preferred for a long time
// falls behind all others.
const maxInARow = 64

func (d pct) next(r *rand.Rand, n, horizon int) (string, chooser) {
	depth := int(d)
	if depth == 0 {
		depth = 1 + n%4
	}
	changes := map[int]bool{}
	for range depth - 1 {
		changes[r.IntN(max(1, horizon))] = true
	}
	p := &priorities{random: r, byActor: map[uint64]float64{}, changes: changes}
	return fmt.Sprintf("PCT, depth %d", depth), p.choose
}

// priorities are the actors' priorities in one schedule. A random priority is above zero, and
// each actor that falls behind gets the next lower one below zero.
type priorities struct {
	random  *rand.Rand
	byActor map[uint64]float64
	changes map[int]bool // by the number of the choice
	choices int
	lowest  float64
	last    uint64 // the actor that was chosen, and how often in a row
	inARow  int
}

func (p *priorities) choose(turns []simulation.Turn) int {
	rank := func(t simulation.Turn) float64 {
		if t.Kind == simulation.Picked {
			return p.random.Float64()
		}
		return priorityOf(p.byActor, t.Actor, p.random)
	}
	index := highest(turns, rank)
	if p.changes[p.choices] || p.inARow > maxInARow && turns[index].Actor == p.last {
		p.lowest--
		p.byActor[turns[index].Actor] = p.lowest
		index = highest(turns, rank)
	}
	p.choices++
	if p.inARow++; turns[index].Actor != p.last {
		p.last, p.inARow = turns[index].Actor, 1
	}
	return index
}

// script makes the choices of a list, as far as they are possible, and chooses the oldest turn
// after its end.
func script(chosen []int) chooser {
	return func(turns []simulation.Turn) int {
		if len(chosen) == 0 {
			return 0
		}
		i := chosen[0]
		chosen = chosen[1:]
		return min(i, len(turns)-1)
	}
}

// fromBytes takes its choices from data, one byte for each.
func fromBytes(data []byte) chooser {
	return func(turns []simulation.Turn) int {
		if len(data) == 0 {
			return 0
		}
		i := int(data[0]) % len(turns)
		data = data[1:]
		return i
	}
}

// withTime lets c choose in half of the schedules that time passes while something can run.
// Otherwise a timeout around the whole program would end nearly all of them early, and its later
// steps would hardly be explored.
func withTime(c chooser, r *rand.Rand) chooser {
	early := sync.OnceValue(func() bool { return r.IntN(2) == 0 }) // a program without timers needs no coin
	return func(turns []simulation.Turn) int {
		last := len(turns) - 1
		switch {
		case turns[last].Kind != simulation.Pass || early():
			return c(turns)
		case last == 1:
			return 0
		default:
			return c(turns[:last])
		}
	}
}

// withInterrupt takes the interrupt's turn at one choice, and never before: the interrupt is one
// of the turns of every choice, so it would otherwise come early in nearly all schedules.
func withInterrupt(c chooser, point int) chooser {
	return func(turns []simulation.Turn) int {
		last := len(turns) - 1
		if turns[last].Kind != simulation.Interrupted {
			return c(turns)
		}
		if point--; point < 0 {
			return last
		}
		if last == 1 {
			return 0
		}
		return c(turns[:last])
	}
}
