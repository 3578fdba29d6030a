package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// contest waits for several jobs until one of them decides it, and then takes its
// registrations with all others back.
//
// The difficulty is that the winner may come while the last jobs are still being
// registered: it must withdraw exactly the nodes that are there. So after registering
// job i and saying so (registered = i+1), the registering goroutine asks under the lock
// whether the contest is over. Either the winner has seen the new number and withdraws
// the node, or the answer is yes and the registering goroutine withdraws it.
//
// Nodes are taken back outside the lock: that may deliver nodes of other jobs, whose
// targets have locks of their own.
type contest struct {
	party contestants

	mu         interleave.Mutex
	nodes      []contestNode // until it is over
	registered int           // how many nodes are in the lists of their jobs
	left       int           // how many jobs can still decide it
	over       bool
}

// contestants is what the contest is about. decides is called under the contest's lock;
// then won or nobodyWon, once.
type contestants interface {
	decides(i int) bool // job i has ended: is that the end of the contest?
	won(i int) continuation.Chain
	nobodyWon() continuation.Chain // all have ended, and none decided

	waitingJob() (*core, string)
}

type contestNode struct {
	continuation.Node
	of    *contest
	at    *core // where it is registered
	index int
}

// start registers with n jobs, one after the other, until one has decided. There is at
// least one; at returns nil for a nil job.
func (c *contest) start(n int, at func(int) *core, party contestants) {
	nodes := make([]contestNode, n)
	c.nodes, c.left, c.party = nodes, n, party
	for i := range nodes {
		node := &nodes[i]
		node.of, node.at, node.index = c, at(i), i
		node.Prepare(node)
		if node.at == nil || !node.at.register(&node.Node) {
			c.end(i).Deliver(nil)
		}
		if !c.noteRegistered(i + 1) {
			node.takeBack()
			return
		}
	}
}

// noteRegistered says that the first n jobs are registered; false: it is over.
func (c *contest) noteRegistered(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = n
	return !c.over
}

// end is told that job i has ended.
func (c *contest) end(i int) continuation.Chain {
	nodes, decided := c.count(i)
	if nodes == nil {
		return continuation.Chain{}
	}
	for k := range nodes {
		nodes[k].takeBack()
	}
	if !decided {
		return c.party.nobodyWon()
	}
	return c.party.won(i)
}

// count notes the end of job i. If that is the end of the contest, it returns the nodes
// to take back, a slice that is not nil.
func (c *contest) count(i int) (nodes []contestNode, decided bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, false
	}
	c.left--
	decided = c.party.decides(i)
	if !decided && c.left > 0 {
		return nil, false
	}
	nodes = c.nodes[:c.registered]
	c.over, c.nodes = true, nil
	return nodes, decided
}

// takeBack does nothing for a node that was delivered.
func (n *contestNode) takeBack() {
	if n.at != nil {
		n.at.waiting.Remove(&n.Node)
	}
}

func (n *contestNode) waitingJob() (*core, string) { return n.of.party.waitingJob() }

// elsewhere reports whether another job can decide the contest.
func (n *contestNode) elsewhere() bool {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	return n.of.left > 1
}

// Completed implements continuation.Target.
func (n *contestNode) Completed(schedulers.Worker) continuation.Chain { return n.of.end(n.index) }
