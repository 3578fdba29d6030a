//go:build interleave

package continuation

import (
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. The following
// must hold in all of them:
//
//   - a node that Add accepted is delivered once, unless Remove or Withdraw took it back
//   - a node that Add refused is not delivered, and its adder sees the result
//   - nodes are delivered in the order in which they were added
//   - at rest an open list holds at most as many removed nodes as others, and a
//     completed list holds none
//   - after Settle no goroutine accesses a node of its list

// party is a list, its nodes, and their outcomes.
type party struct {
	list   List
	nodes  []*guest
	told   []int // in order
	result bool  // written before Complete
	// Nodes are added in the order of their numbers, so that is the order in the list.
	inOrder bool
	wrong   error
}

// guest is a node and its outcome.
type guest struct {
	Node
	of                       *party
	number                   int
	added, refused, tookBack bool
	delivered                int
}

func newParty(guests int) *party {
	p := new(party)
	for i := range guests {
		g := &guest{of: p, number: i}
		g.Prepare(g)
		p.nodes = append(p.nodes, g)
	}
	return p
}

// Completed implements Target.
func (g *guest) Completed(schedulers.Worker) Chain {
	g.delivered++
	g.of.told = append(g.of.told, g.number)
	return Chain{}
}

func (p *party) must(holds bool, what string) {
	if !holds && p.wrong == nil {
		p.wrong = errors.New(what)
	}
}

func (p *party) add(i int) {
	g := p.nodes[i]
	if p.list.Add(&g.Node) {
		g.added = true
		return
	}
	g.refused = true
	p.must(p.result, "a refused adder does not see the result")
}

func (p *party) remove(i int) {
	g := p.nodes[i]
	if p.list.Remove(&g.Node) {
		p.must(!g.tookBack, "a node was taken back twice")
		g.tookBack = true
	}
}

func (p *party) complete() {
	p.result = true
	p.list.Complete().Deliver(nil)
}

// check is called at rest.
func (p *party) check() error {
	if p.wrong != nil {
		return p.wrong
	}
	for _, g := range p.nodes {
		want := 0
		if p.result && g.added && !g.tookBack {
			want = 1
		}
		if g.delivered != want {
			return fmt.Errorf("node %d was delivered %d times instead of %d", g.number, g.delivered, want)
		}
	}
	live, dead, above := 0, 0, len(p.nodes)
	for n := interleave.LoadPointer(&p.list.head); n != nil && n != closed; n = n.next {
		if n.state.Load() == removed {
			dead++
			continue
		}
		live++
		number := n.target.(*guest).number
		if p.inOrder && number > above {
			return fmt.Errorf("node %d is below node %d, which came first", number, above)
		}
		above = number
	}
	if dead > live {
		return fmt.Errorf("the list holds %d removed nodes and %d others", dead, live)
	}
	if h := p.list.holders.Load(); h&(holding|missed) != 0 {
		return fmt.Errorf("a hold or a note is left: %b", h)
	}
	return nil
}

// explore runs a program in all of its schedules.
func explore(t *testing.T, program func(s *interleave.Schedule) *party) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		p := program(s)
		p.list.holders.Store(0xffffff00) // the count of holds is about to overflow
		return p.check
	})
}

func TestInterleavingsOfAddAndComplete(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(4)
		s.Go("adder of two", func() { p.add(0); p.add(1) })
		s.Go("adder", func() { p.add(2) })
		s.Go("late adder", func() { p.add(3) })
		s.Go("completer", func() {
			p.complete()
			at := map[int]int{}
			for i, n := range p.told {
				at[n] = i
			}
			_, both := at[1]
			p.must(!both || at[0] < at[1], "delivered out of order")
		})
		return p
	})
}

func TestInterleavingsOfRemoveAndComplete(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(3)
		for i := range p.nodes {
			p.add(i)
		}
		s.Go("remover", func() { p.remove(0); p.remove(2) })
		s.Go("other", func() { p.remove(1) })
		s.Go("completer", p.complete)
		return p
	})
}

func TestInterleavingsOfRemovesThatLeaveNothing(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(3)
		for i := range p.nodes {
			p.add(i)
		}
		for i := range p.nodes {
			s.Go(fmt.Sprint("remover ", i), func() { p.remove(i) })
		}
		return p
	})
}

func TestInterleavingsOfAddAndRemoveAndComplete(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(3)
		p.add(0)
		s.Go("comes and goes", func() {
			if p.add(1); p.nodes[1].added {
				p.remove(1)
			}
		})
		s.Go("remover", func() { p.remove(0) })
		s.Go("adder", func() { p.add(2) })
		s.Go("completer", p.complete)
		return p
	})
}

func TestInterleavingsOfTheSameNodeRemovedTwice(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(2)
		p.add(0)
		p.add(1)
		s.Go("remover", func() { p.remove(0) })
		s.Go("other", func() { p.remove(0) })
		s.Go("completer", p.complete)
		return p
	})
}

func TestInterleavingsOfVisits(t *testing.T) {
	for _, visitors := range []int{1, 2} {
		t.Run(fmt.Sprint(visitors), func(t *testing.T) {
			explore(t, func(s *interleave.Schedule) *party {
				p := newParty(3)
				p.add(0)
				p.add(1)
				for i := range visitors {
					s.Go(fmt.Sprint("visitor ", i), func() {
						p.list.Visit(2, func(t Target) {
							p.must(t.(*guest).delivered == 0, "a delivered node is visited")
						})
					})
				}
				s.Go("remover", func() { p.remove(0) })
				if visitors == 1 {
					s.Go("adder", func() { p.add(2) })
				}
				s.Go("completer", p.complete)
				return p
			})
		})
	}
}

func TestInterleavingsOfVisitsOfAListThatStaysOpen(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(3)
		p.add(0)
		p.add(1)
		s.Go("visitor", func() { p.list.Visit(2, func(Target) {}) })
		s.Go("remover", func() { p.remove(0) })
		s.Go("observer", func() { p.must(!p.list.Empty(), "a list with a waiter says that it is empty") })
		s.Go("adder", func() { p.add(2) })
		return p
	})
}

// The only waiter gives up while a visitor comes and goes. The sweep that finds the visitor, and
// then finds that it has left, is not over.
func TestInterleavingsOfTheOnlyWaiterAndAVisit(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(1)
		p.add(0)
		s.Go("visitor", func() { p.list.Visit(1, func(Target) {}) })
		s.Go("remover", func() { p.remove(0) })
		return p
	})
}

// A sweep keeps the order. Two goroutines that hold nodes at the same time need not keep
// it; that happens when a visitor has run out of patience.
func TestInterleavingsOfASweepThatKeepsTheOrder(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(4)
		p.inOrder = true
		p.add(0)
		p.add(1)
		s.Go("remover", func() { p.remove(0) })
		s.Go("observer", func() { p.must(!p.list.Empty(), "a list with a waiter says that it is empty") })
		s.Go("adder", func() { p.add(2); p.add(3) })
		return p
	})
}

// A node that was withdrawn is added to another list, which completes too.
func TestInterleavingsOfWithdraw(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p, other := newParty(2), new(List)
		p.add(0)
		p.add(1)
		g := p.nodes[0]
		again := false
		s.Go("owner", func() {
			if p.list.Withdraw(&g.Node) {
				g.tookBack = true
				g.Prepare(g)
				again = other.Add(&g.Node)
				p.must(!again || other.Withdraw(&g.Node) || other.Closed(), "a node in a list was not found")
			}
		})
		s.Go("remover", func() { p.remove(1) })
		s.Go("completer", p.complete)
		return p
	})
}

// Both try to withdraw the node, and exactly one succeeds.
func TestInterleavingsOfWithdrawAndRemove(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(2)
		p.add(0)
		p.add(1)
		g := p.nodes[0]
		s.Go("owner", func() {
			if p.list.Withdraw(&g.Node) {
				p.must(!g.tookBack, "a node was taken back twice")
				g.tookBack = true
			}
		})
		s.Go("remover", func() { p.remove(0) })
		s.Go("completer", p.complete)
		return p
	})
}

// The owner leaves its attended node, while another goroutine completes.
func TestInterleavingsOfLeave(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(2)
		p.nodes[0].PrepareAttended(p.nodes[0])
		p.add(1)
		s.Go("owner", func() {
			if p.add(0); p.nodes[0].added && !p.nodes[0].Leave() {
				p.nodes[0].tookBack = true // has seen the end
				p.must(p.result, "an owner that is not told does not see the result")
			}
		})
		s.Go("visitor", func() { p.list.Visit(2, func(Target) {}) })
		s.Go("completer", p.complete)
		return p
	})
}

// The owner completes the operation that it waits for, and continues when no visitor is active.
func TestInterleavingsOfSettle(t *testing.T) {
	explore(t, func(s *interleave.Schedule) *party {
		p := newParty(3)
		var looks interleave.Int32
		p.nodes[0].PrepareAttended(p.nodes[0])
		p.add(0)
		p.add(1)
		s.Go("owner", func() {
			p.result = true
			p.list.CompleteAttended().Deliver(nil)
			p.list.Settle()
			p.must(looks.Load() == 0, "a visitor looks after Settle")
			p.nodes[0].tookBack = true
			p.nodes[0].PrepareAttended(p.nodes[0])
			p.must(new(List).Add(&p.nodes[0].Node), "the node is not its owner's")
		})
		s.Go("visitor", func() {
			p.list.Visit(2, func(t Target) {
				if t == Target(p.nodes[0]) {
					looks.Store(1)
					looks.Store(0)
				}
			})
		})
		s.Go("remover", func() { p.remove(1) })
		return p
	})
}
