package coord

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// These tests take the steps of a machine that waits one by one, and make other calls
// between them.

// machineNode is the node of a machine that counts how often it is notified.
type machineNode struct {
	continuation.Node
	heard int
}

func newMachineNode() *machineNode {
	n := new(machineNode)
	n.PrepareAlone(n)
	return n
}

// join does what the run does when its frames have moved.
func (n *machineNode) join(r *statemachine.Run) (waits bool) {
	return r.Kept().(statemachine.Pending).Join(&n.Node, nil)
}

// Completed implements continuation.Target.
func (n *machineNode) Completed(schedulers.Worker) continuation.Chain {
	n.heard++
	return continuation.Chain{}
}

func TestAnElementComesBetweenTheEntryAndTheJoin(t *testing.T) {
	var run statemachine.Run
	n := newMachineNode()
	c := NewBounded[int](1, WaitForRoom)
	e, _, err := c.ReceiveEnter(&run, endless)
	require.NoError(t, err)
	require.NotNil(t, e)
	require.Zero(t, c.receivers.count, "it is not entered before the machine can be resumed")

	require.NoError(t, c.TrySend(7))
	assert.False(t, n.join(&run), "the machine goes on")
	v, err := e.Results(&run)
	require.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.Zero(t, n.heard)
}

func TestTheChannelIsClosedBetweenTheEntryAndTheJoin(t *testing.T) {
	var run statemachine.Run
	n := newMachineNode()
	var c Channel[int]
	e, _, err := c.ReceiveEnter(&run, endless)
	require.NoError(t, err)
	c.Close()
	assert.False(t, n.join(&run))
	_, err = e.Results(&run)
	require.ErrorIs(t, err, ErrClosed)
}

func TestAMachineIsServedAfterItHasJoined(t *testing.T) {
	var run statemachine.Run
	n := newMachineNode()
	var c Channel[int]
	var first *waiter
	for round := range 3 {
		e, _, err := c.ReceiveEnter(&run, endless)
		require.NoError(t, err)
		w := singleOf(&run)
		if round == 0 {
			first = w
		}
		assert.Same(t, first, w, "it is used again")
		require.True(t, n.join(&run))
		require.NoError(t, c.TrySend(round))
		assert.Equal(t, round+1, n.heard)
		v, err := e.Results(&run)
		require.NoError(t, err)
		assert.Equal(t, round, v)
	}
}

// enterHeld locks m, and lets a machine whose context can end wait for it.
func enterHeld(t *testing.T, m *Mutex, run *statemachine.Run) (*machineNode, *statemachine.WaitingVoid[job.Void]) {
	t.Helper()
	require.True(t, m.TryLock())
	ctx, cancel := context.WithCancel(endless)
	t.Cleanup(cancel)
	e, err := m.LockEnter(run, ctx)
	require.NoError(t, err)
	return newMachineNode(), e
}

func TestTheContextEndsBetweenTheEntryAndTheJoin(t *testing.T) {
	var (
		run statemachine.Run
		m   Mutex
	)
	n, e := enterHeld(t, &m, &run)
	w := run.Kept().(*waiter)
	w.giveUp(context.Canceled) // what ContextEnded does
	m.Unlock()
	assert.False(t, n.join(&run))
	require.ErrorIs(t, e.Results(&run), context.Canceled)
	assert.Zero(t, n.heard)
	assert.True(t, m.TryLock(), "a waiter that gave up before it was entered is not handed the lock")
}

func TestTheContextEndsAfterTheJoin(t *testing.T) {
	var (
		run statemachine.Run
		m   Mutex
	)
	n, e := enterHeld(t, &m, &run)
	w := run.Kept().(*waiter)
	require.True(t, n.join(&run))
	w.giveUp(errReason)
	assert.Equal(t, 1, n.heard)
	require.ErrorIs(t, e.Results(&run), errReason)
	m.Unlock()
	assert.True(t, m.TryLock())
}

func TestAMachineAtACondReleasesTheLockWhenItJoins(t *testing.T) {
	var (
		run statemachine.Run
		m   Mutex
	)
	c := NewCond(&m)
	n := newMachineNode()
	m.TryLock()
	e, err := c.WaitEnter(&run, endless)
	require.NoError(t, err)
	require.False(t, m.TryLock(), "it cannot be signaled before")
	require.True(t, n.join(&run))
	require.True(t, m.TryLock())
	c.Signal()
	assert.Zero(t, n.heard, "it needs the lock")
	m.Unlock()
	assert.Equal(t, 1, n.heard)
	require.NoError(t, e.Results(&run))
	assert.True(t, m.locked)
}

func TestAnAvailableElementIsTakenWithoutASuspension(t *testing.T) {
	var run statemachine.Run
	for name, fill := range map[string]func(*Channel[int]){
		"held":            func(c *Channel[int]) { _ = c.TrySend(1) },
		"a sender waits":  func(c *Channel[int]) { c.SendAsync(endless, 1) },
		"closed":          func(c *Channel[int]) { c.Close() },
		"held and closed": func(c *Channel[int]) { _ = c.TrySend(1); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			c := NewBounded[int](1, WaitForRoom)
			if name == "a sender waits" {
				c = NewRendezvous[int]()
			}
			_, err := c.TryReceive()
			require.ErrorIs(t, err, ErrEmpty)
			fill(c)
			e, _, _ := c.ReceiveEnter(&run, endless)
			assert.Nil(t, e)
		})
	}
}
