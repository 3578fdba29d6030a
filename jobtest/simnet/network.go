package simnet

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/statemachine"
)

//go:generate go tool movenext .

// Network is a set of listeners and of connections to them. Make one with [New]. All methods
// are safe for concurrent use.
type Network struct {
	ctx                    context.Context // has the scheduler, the clock and the faults
	minLatency, maxLatency time.Duration
	capacity               int
	short                  bool

	mu        sync.Mutex
	listeners map[string]*Listener
	clients   int // numbers the addresses of clients
}

// Option configures a network.
type Option func(*Network)

// Latency makes all data take from least to most to arrive. By default data takes no time.
func Latency(least, most time.Duration) Option {
	return func(n *Network) { n.minLatency, n.maxLatency = max(0, least), max(least, most, 0) }
}

// Buffer sets how many bytes of a stream may be in transit or unread. The default is 64 KB, which
// zero or less also means.
func Buffer(bytes int) Option {
	return func(n *Network) {
		if bytes > 0 {
			n.capacity = bytes
		}
	}
}

// Short makes reads now and then return less than is available: one byte, or half.
func Short() Option { return func(n *Network) { n.short = true } }

// New returns a network on the scheduler of ctx: its latencies pass in that scheduler's time. In
// a test of package jobtest, ctx is the context of the test's function. A nil ctx is
// context.Background. New does not block.
func New(ctx context.Context, opts ...Option) *Network {
	if ctx == nil {
		ctx = context.Background()
	}
	n := &Network{ctx: ctx, capacity: 64 << 10, listeners: map[string]*Listener{}}
	for _, o := range opts {
		if o != nil {
			o(n)
		}
	}
	return n
}

// pick chooses one of 0 to count-1. In a simulation that is a choice of the schedule.
func (n *Network) pick(count int) int {
	if s, ok := schedulers.FromContext(n.ctx).(*simulation.Scheduler); ok {
		return s.Pick(count)
	}
	return rand.IntN(count)
}

// latency chooses a latency: the minimum, the maximum, or one between them.
func (n *Network) latency() time.Duration {
	if n.minLatency == n.maxLatency {
		return n.minLatency
	}
	return n.minLatency + time.Duration(n.pick(3))*(n.maxLatency-n.minLatency)/2
}

func (n *Network) fails(fault string) bool { return jobtest.Fault(n.ctx, fault) }

// address is the name of an end.
type address string

// Network implements net.Addr.
func (address) Network() string { return "simnet" }

// String implements net.Addr.
func (a address) String() string { return string(a) }

// backlog is the maximum number of connections that wait to be accepted.
const backlog = 128

// Listener accepts connections at an address. It is safe for concurrent use.
type Listener struct {
	network *Network
	addr    address

	mu      sync.Mutex
	waiting []*Conn
	closed  bool
	changed gate
}

// Listen returns a listener at an address, which may be any text. It returns an error that
// matches syscall.EADDRINUSE if there is one already. It does not block.
func (n *Network) Listen(addr string) (*Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[addr] != nil {
		return nil, &net.OpError{Op: "listen", Net: "simnet", Addr: address(addr), Err: syscall.EADDRINUSE}
	}
	l := &Listener{network: n, addr: address(addr)}
	n.listeners[addr] = l
	return l, nil
}

// Dial connects to the listener at an address, after a latency. Its error matches
// syscall.ECONNREFUSED if there is no listener, or if it accepts too slowly; if ctx ends first,
// it is the cause. Dial blocks; its twin is DialAsync. A nil ctx is context.Background.
func (n *Network) Dial(ctx context.Context, addr string) (*Conn, error) { return dial(ctx, n, addr) }

// DialAsync is [Network.Dial] as a job, which is Canceled when ctx ends first. It does not
// block.
func (n *Network) DialAsync(ctx context.Context, addr string) *job.Job[*Conn] {
	return dialAsync(ctx, n, addr)
}

// DialEnter is [Network.Dial] as generated machines call it.
func (n *network) DialEnter(r *statemachine.Run, ctx context.Context, addr string) (*statemachine.Waiting[*Conn], *Conn, error) {
	m, c, err := dialEnter(r, ctx, n, addr)
	return statemachine.WaitingFor(m), c, err
}

//movenext:async
func dial(ctx context.Context, n *Network, addr string) (*Conn, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if d := n.latency(); d > 0 {
		if err := job.Sleep(ctx, d); err != nil {
			return nil, &net.OpError{Op: "dial", Net: "simnet", Addr: address(addr), Err: err}
		}
	}
	if c := n.connect(addr); c != nil {
		return c, nil
	}
	return nil, &net.OpError{Op: "dial", Net: "simnet", Addr: address(addr), Err: syscall.ECONNREFUSED}
}

// connect returns the client's end of a new connection, or nil.
func (n *Network) connect(addr string) *Conn {
	n.mu.Lock()
	l := n.listeners[addr]
	n.clients++
	client, server := pipe(n, clientAddress(n.clients), address(addr))
	n.mu.Unlock()
	if l == nil || n.fails(Refused) || !l.offer(server) {
		return nil
	}
	return client
}

// offer queues a connection for Accept.
func (l *Listener) offer(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.waiting) == backlog {
		return false
	}
	l.waiting = append(l.waiting, c)
	l.changed.open()
	return true
}

// Accept returns the next connection. After Close its error matches net.ErrClosed. It
// blocks; its twin is AcceptAsync.
func (l *Listener) Accept() (*Conn, error) { return accept(l) }

// AcceptAsync is [Listener.Accept] as a job. It does not block.
func (l *Listener) AcceptAsync() *job.Job[*Conn] { return acceptAsync(l) }

// AcceptEnter is [Listener.Accept] as generated machines call it.
func (l *listener) AcceptEnter(r *statemachine.Run) (*statemachine.Waiting[*Conn], *Conn, error) {
	m, c, err := acceptEnter(r, l)
	return statemachine.WaitingFor(m), c, err
}

//movenext:async
func accept(l *Listener) (*Conn, error) {
	for {
		c, wait, err := l.take()
		if wait == nil {
			return c, err
		}
		if _, err := wait.Await(); err != nil {
			return nil, err
		}
	}
}

// take returns a connection, an error, or a job that ends when the call is worth repeating.
func (l *Listener) take() (*Conn, *job.Job[job.Void], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, &net.OpError{Op: "accept", Net: "simnet", Addr: l.addr, Err: net.ErrClosed}
	}
	if len(l.waiting) == 0 {
		return nil, l.changed.wait(), nil
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	return c, nil, nil
}

// Addr returns the address.
func (l *Listener) Addr() net.Addr { return l.addr }

// Close ends the listener, and the connections that have not been accepted. A second call
// returns an error that matches net.ErrClosed. It does not block.
func (l *Listener) Close() error {
	l.network.mu.Lock()
	if l.network.listeners[string(l.addr)] == l {
		delete(l.network.listeners, string(l.addr))
	}
	l.network.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return &net.OpError{Op: "close", Net: "simnet", Addr: l.addr, Err: net.ErrClosed}
	}
	l.closed = true
	for _, c := range l.waiting {
		_ = c.Close()
	}
	l.waiting = nil
	l.changed.open()
	return nil
}

// gate is a condition that several waiters may wait for. A change of the state opens it. The lock
// of that state guards it.
type gate struct{ next *job.Source[job.Void] }

// wait returns a job that ends when the gate is opened.
func (g *gate) wait() *job.Job[job.Void] {
	if g.next == nil {
		g.next = job.NewSource[job.Void]()
	}
	return g.next.Job()
}

// open wakes all waiters.
func (g *gate) open() {
	if g.next != nil {
		g.next.TrySetResult(job.Void{})
		g.next = nil
	}
}
