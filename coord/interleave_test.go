//go:build interleave

package coord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// These programs run in each order of their steps; see package interleave. The following
// must hold in all of them:
//
//   - each element that was sent is received once, unless it is still in the channel
//   - at rest no receiver waits while the channel has an element or is closed
//   - a receiver gets the elements of one sender in their order
//   - a machine is notified once for each of its waits
//   - a lock has one holder at a time, and a waiter that gives up does not keep it

// machine receives from a channel repeatedly, as generated code does: with the same
// waiter each time.
type machine struct {
	continuation.Node
	of    *exchange
	task  statemachine.Run
	e     *statemachine.Waiting[int]
	waits bool
	left  int // how many elements it still wants
	got   []int
}

// sendingMachine sends elements to a channel as a machine does: with the same waiter each time.
type sendingMachine struct {
	continuation.Node
	of    *exchange
	task  statemachine.Run
	e     *statemachine.WaitingVoid[job.Void]
	waits bool
	left  []int // what it has not sent yet
}

// exchange is a channel and the elements that pass through it.
type exchange struct {
	channel  Channel[int]
	machines []*machine
	senders  []*sendingMachine
	jobs     []*job.Job[int]
	selects  []*chooser
	sent     []int
	got      []int // without a machine
	closed   bool
	wrong    error
}

func (x *exchange) machine(wants int) *machine {
	m := &machine{of: x, left: wants}
	x.machines = append(x.machines, m)
	return m
}

// run receives until the machine has to wait.
func (m *machine) run() {
	for m.left > 0 {
		e, v, err := m.of.channel.ReceiveEnter(&m.task, endless)
		if e != nil {
			m.e = e
			m.PrepareAlone(m)
			m.waits = true
			if m.task.Kept().(statemachine.Pending).Join(&m.Node, nil) {
				return // from now on it belongs to the goroutine that notifies it
			}
			m.waits = false
			v, err = m.e.Results(&m.task)
		}
		m.take(v, err)
	}
}

func (m *machine) take(v int, err error) {
	if err != nil {
		m.left = 0
		return
	}
	m.left--
	m.got = append(m.got, v)
}

// Completed implements continuation.Target: the machine continues on a goroutine of the
// program.
func (m *machine) Completed(schedulers.Worker) continuation.Chain {
	if !m.waits {
		m.of.wrong = errors.New("a machine is told that does not wait")
	}
	m.waits = false
	interleave.Go(func() {
		m.take(m.e.Results(&m.task))
		m.run()
	})
	return continuation.Chain{}
}

func (x *exchange) sender(elements ...int) *sendingMachine {
	m := &sendingMachine{of: x, left: elements}
	x.senders = append(x.senders, m)
	return m
}

// run sends until the machine has to wait.
func (m *sendingMachine) run() {
	for len(m.left) > 0 {
		e, err := m.of.channel.SendEnter(&m.task, endless, m.left[0])
		if e != nil {
			m.e = e
			m.PrepareAlone(m)
			m.waits = true
			if m.task.Kept().(statemachine.Pending).Join(&m.Node, nil) {
				return // from now on it belongs to the goroutine that notifies it
			}
			m.waits = false
			err = m.e.Results(&m.task)
		}
		m.sent(err)
	}
}

func (m *sendingMachine) sent(err error) {
	if err != nil {
		m.left = nil
		return
	}
	m.of.sent = append(m.of.sent, m.left[0])
	m.left = m.left[1:]
}

// Completed implements continuation.Target.
func (m *sendingMachine) Completed(schedulers.Worker) continuation.Chain {
	if !m.waits {
		m.of.wrong = errors.New("a machine is told that does not wait")
	}
	m.waits = false
	interleave.Go(func() {
		m.sent(m.e.Results(&m.task))
		m.run()
	})
	return continuation.Chain{}
}

func (x *exchange) receive() {
	if v, err := x.channel.TryReceive(); err == nil {
		x.got = append(x.got, v)
	}
}

// choose receives an element by a select.
func (x *exchange) choose() {
	c := new(chooser)
	x.selects = append(x.selects, c)
	c.start(endless, OnReceive(&x.channel, &c.got))
}

func (x *exchange) send(v int) {
	if x.channel.TrySend(v) == nil {
		x.sent = append(x.sent, v)
	}
}

func (x *exchange) close() {
	x.closed = true
	x.channel.Close()
}

func (x *exchange) check() error {
	if x.wrong != nil {
		return x.wrong
	}
	got := slices.Clone(x.got)
	waiting, senders := 0, 0
	for _, m := range x.senders {
		if m.waits {
			senders++
		}
	}
	for _, m := range x.machines {
		ofOne := slices.DeleteFunc(slices.Clone(m.got), func(v int) bool { return v > 2 })
		if !slices.IsSorted(ofOne) {
			return fmt.Errorf("a machine got %v", m.got)
		}
		got = append(got, m.got...)
		if m.waits {
			waiting++
		}
	}
	for _, c := range x.selects {
		if _, err := c.outcome(); err == nil {
			got = append(got, c.got)
		} else if c.waits() {
			waiting++
		}
	}
	for _, j := range x.jobs {
		if !j.Status().IsFinal() {
			waiting++
		} else if v, err := j.GetResult(); err == nil {
			got = append(got, v)
		}
	}
	if senders > 0 && (waiting > 0 || x.closed) {
		return fmt.Errorf("%d senders wait beside %d receivers (closed: %v)", senders, waiting, x.closed)
	}
	left := x.channel.Len()
	if waiting > 0 && (left > 0 || x.closed) {
		return fmt.Errorf("%d receivers wait for %d elements (closed: %v)", waiting, left, x.closed)
	}
	for range left {
		v, _ := x.channel.TryReceive()
		got = append(got, v)
	}
	slices.Sort(got)
	slices.Sort(x.sent)
	if !slices.Equal(got, x.sent) {
		return fmt.Errorf("sent were %v, and there are %v", x.sent, got)
	}
	return nil
}

func exploreExchange(t *testing.T, program func(s *interleave.Schedule, x *exchange)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		x := new(exchange)
		program(s, x)
		return x.check
	})
}

func TestInterleavingsOfASingleReceiver(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.machine(3)
		s.Go("receiver", m.run)
		s.Go("sender", func() { x.send(1); x.send(2) })
		s.Go("other sender", func() { x.send(3) })
	})
}

func TestInterleavingsOfTwoSingleReceivers(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		one, two := x.machine(1), x.machine(1)
		s.Go("receiver", one.run)
		s.Go("other receiver", two.run)
		s.Go("sender", func() { x.send(1); x.send(2) })
	})
}

// A sender may find one receiver in the seat, and take it when another one waits there.
func TestInterleavingsOfTwoSendersAndTwoSingleReceivers(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		one, two := x.machine(1), x.machine(1)
		s.Go("receiver", one.run)
		s.Go("other receiver", two.run)
		s.Go("sender", func() { x.send(1) })
		s.Go("other sender", func() { x.send(3) })
	})
}

func TestInterleavingsOfASingleReceiverAndAJob(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.machine(2)
		s.Go("receiver", m.run)
		s.Go("disturber", func() { x.jobs = append(x.jobs, x.channel.ReceiveAsync(endless)) })
		s.Go("sender", func() { x.send(1); x.send(2) })
	})
}

func TestInterleavingsOfASingleReceiverAndClose(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.machine(2)
		s.Go("receiver", m.run)
		s.Go("sender", func() { x.send(1) })
		s.Go("closer", x.close)
	})
}

func TestInterleavingsOfASingleSender(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.sender(1, 2)
		s.Go("sender", m.run)
		s.Go("receiver", func() { x.receive(); x.receive() })
		s.Go("other receiver", x.receive)
	})
}

func TestInterleavingsOfASingleSenderAndASingleReceiver(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		from, to := x.sender(1, 2), x.machine(2)
		s.Go("sender", from.run)
		s.Go("receiver", to.run)
	})
}

func TestInterleavingsOfTwoSingleSenders(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		one, two, to := x.sender(1), x.sender(3), x.machine(2)
		s.Go("sender", one.run)
		s.Go("other sender", two.run)
		s.Go("receiver", to.run)
	})
}

// A receiver may find one sender in the seat, and take it when another one waits there.
func TestInterleavingsOfTwoReceiversAndTwoSingleSenders(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		one, two := x.sender(1), x.sender(3)
		s.Go("sender", one.run)
		s.Go("other sender", two.run)
		s.Go("receiver", x.receive)
		s.Go("other receiver", x.receive)
	})
}

func TestInterleavingsOfASingleSenderAndAJob(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.sender(1, 2)
		s.Go("sender", m.run)
		s.Go("disturber", func() { x.jobs = append(x.jobs, x.channel.ReceiveAsync(endless)) })
		s.Go("receiver", x.receive)
	})
}

func TestInterleavingsOfASingleSenderAndASelect(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.sender(1, 2)
		s.Go("sender", m.run)
		s.Go("select", x.choose)
		s.Go("receiver", x.receive)
	})
}

func TestInterleavingsOfASingleSenderAndClose(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		m := x.sender(1, 2)
		s.Go("sender", m.run)
		s.Go("receiver", x.receive)
		s.Go("closer", x.close)
	})
}

// giving is a context that a goroutine of the program ends. Its watchers are notified on
// a goroutine of the program too.
type giving struct {
	context.Context
	done chan struct{}
	mu   interleave.Mutex
	f    func()
	over bool
}

func newGiving() *giving {
	return &giving{Context: context.Background(), done: make(chan struct{})}
}

func (g *giving) Done() <-chan struct{} { return g.done }

func (g *giving) Err() error {
	select {
	case <-g.done:
		return context.Canceled
	default:
		return nil
	}
}

// AfterFunc does what package context does for its own contexts.
func (g *giving) AfterFunc(f func()) (stop func() bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		interleave.Go(f)
		return func() bool { return false }
	}
	g.f = f
	return func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		was := g.f != nil
		g.f = nil
		return was
	}
}

func (g *giving) end() {
	g.mu.Lock()
	g.over = true
	close(g.done)
	if g.f != nil {
		interleave.Go(g.f)
		g.f = nil
	}
	g.mu.Unlock()
}

func TestInterleavingsOfAnUnlockAndAWaiterThatGivesUp(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		var m Mutex
		m.TryLock()
		ctx := newGiving()
		var gives, stays *job.Job[job.Void]
		s.Go("gives up", func() { gives = m.LockAsync(ctx) })
		s.Go("stays", func() { stays = m.LockAsync(endless) })
		s.Go("ender", ctx.end)
		s.Go("holder", m.Unlock)
		return func() error {
			if !gives.Status().IsFinal() {
				return errors.New("the waiter whose context ended still waits")
			}
			if gives.Status() == job.Completed {
				if stays.Status().IsFinal() {
					return errors.New("two have the lock")
				}
				m.Unlock()
			}
			if stays.Status() != job.Completed {
				return errors.New("the lock was lost with a waiter that gave up")
			}
			if m.TryLock() {
				return errors.New("a held lock was locked")
			}
			m.Unlock()
			if !m.TryLock() {
				return errors.New("the lock stays locked")
			}
			return nil
		}
	})
}

func TestInterleavingsOfAHeavyRequestThatGivesUp(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		sem := NewSemaphore(2)
		sem.TryAcquire(1)
		ctx := newGiving()
		var heavy, light *job.Job[job.Void]
		s.Go("heavy", func() { heavy = sem.AcquireAsync(ctx, 2) })
		s.Go("light", func() { light = sem.AcquireAsync(endless, 1) })
		s.Go("ender", ctx.end)
		return func() error {
			if heavy.Status() != job.Canceled {
				return fmt.Errorf("the heavy request is %s", heavy.Status())
			}
			if light.Status() != job.Completed || sem.Free() != 0 {
				return fmt.Errorf("the light request is %s, %d are free", light.Status(), sem.Free())
			}
			return nil
		}
	})
}
