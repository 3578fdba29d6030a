//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/polling"
	"github.com/movenext/movenext/internal/timers"
)

// # One goroutine for all sockets
//
// All sockets are registered with one instance of the system's poller, edge-triggered, for their
// whole life: a wait needs no system call of its own. One goroutine sleeps there and fetches
// events in batches. How it sleeps depends on the system:
//
//	epoll_linux.go   epoll; the goroutine sleeps in Go's poller, and takes no OS thread
//	kqueue.go        kqueue, on the BSDs and macOS; the sleep takes an OS thread
//
// The first socket starts the instance and the goroutine, and the end of the last one stops them.
// Otherwise an idle program would keep both.
//
// # Busy workers
//
// While all processors compute, Go's poller runs only every 10 ms, and the goroutine would sleep
// that long. So a busy worker fetches events itself now and then (package polling). On two
// processors that compute in pieces of 20 µs, a hundred connections exchange 1.5 to 1.8 times the
// messages of goroutines, at 0.5 to 0.7 of their 99th percentile; without it they exchanged 0.27
// of them, at 4.3 times the percentile. Two concurrent fetches are harmless: the system gives an
// event to one of them.
//
// It is tempting to submit the waiting work to the worker that fetched the events. But its own
// newest work runs first, so among a thousand connections some waited for 23 ms instead of 13.
//
// # Names of sockets
//
// The instance identifies a socket by a slot and its generation, not by a pointer and not by the
// descriptor. A batch may name a socket that was closed after the fetch, and whose descriptor and
// slot now belong to another socket: then the generation differs. It is tempting to look the
// descriptor up in a map, but that would find the other socket.

// maxBatch is the maximum number of events in a fetch.
const maxBatch = 128

// conditions is the set of conditions that an event reports.
type conditions uint8

const (
	readable conditions = 1 << iota
	writable
	readEnd  // the peer has shut down its side, or worse
	writeEnd // nothing can be written any more
)

// poller is an instance of the system's poller, with the sockets in it.
type poller struct {
	instance
	timers timers.Queue
	epoch  time.Time

	fetches    atomic.Uint32 // number of fetches begun
	pollMu     sync.Mutex    // guards pollEvents, and what Poll needs of the instance
	pollEvents [maxBatch / 4]event

	// Guarded by pollers.
	slots []slot
	live  int
}

// slot is the entry of one socket. Its generation counts the sockets that have left it.
type slot struct {
	socket     *socket
	generation uint32
}

// pollers guards all pollers. At most one of them has sockets: current.
var (
	pollers sync.Mutex
	current *poller
)

// now returns the time on the poller's clock: never 0.
func (p *poller) now() int64 { return int64(time.Since(p.epoch)) + 1 }

// register puts a new socket into the current poller.
func register(s *socket) error {
	pollers.Lock()
	defer pollers.Unlock()
	if current == nil {
		if err := start(); err != nil {
			return err
		}
	}
	p := current
	i := p.allocateSlot(s.fd)
	if err := p.add(s.fd, i); err != nil {
		p.freeSlot(i)
		if p.live == 0 {
			p.stop()
		}
		return err
	}
	p.slots[i].socket = s
	s.poller, s.slot = p, i
	s.in.ready, s.out.ready = true, true
	s.in.sticky = !shortReadsTell || s.isUnix()
	p.live++
	return nil
}

// unregister removes s. Events already fetched then find another generation.
func (p *poller) unregister(s *socket) {
	pollers.Lock()
	defer pollers.Unlock()
	p.remove(s.fd)
	p.freeSlot(s.slot)
	if p.live--; p.live == 0 {
		p.stop()
	}
}

// advance advances the slot to the next generation, without a socket; pollers is held, here and
// below.
func (p *poller) advance(i uint32) { p.slots[i] = slot{generation: p.slots[i].generation + 1} }

// errBubble is the error of a poller that would start in a bubble.
var errBubble = errors.New("netio: the poller cannot start inside of a testing/synctest bubble, whose clock and goroutines stand " +
	"still while the network does not; open the first Listener or Conn outside of it, or use net.Pipe there")

// start makes a new poller the current one.
func start() error {
	if polling.InBubble() {
		return errBubble
	}
	p := &poller{epoch: time.Now()}
	if err := p.open(); err != nil {
		return err
	}
	current = p
	polling.Open(p)
	go p.loop()
	return nil
}

// stop ends the current poller, which has no sockets.
func (p *poller) stop() {
	current = nil
	polling.Close()
	p.end()
}

// socketEvent is an event whose socket is known.
type socketEvent struct {
	socket     *socket
	conditions conditions
}

// handle notifies the sockets of a batch of events; found has space for them.
func (p *poller) handle(events []event, fetch uint32, found []socketEvent) {
	pollers.Lock()
	for i := range events {
		ev := &events[i]
		if sl := &p.slots[slotOf(ev)]; sl.socket != nil && hasGeneration(ev, sl.generation) {
			found = append(found, socketEvent{sl.socket, conditionsOf(ev)})
		}
	}
	pollers.Unlock()
	for i := range found {
		found[i].socket.event(found[i].conditions, fetch)
		found[i].socket = nil
	}
}
