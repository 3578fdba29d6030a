//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// small is the default size of a message.
const small = 64

// work is what clients do with a server, and what is measured.
type work struct {
	name, title string
	quantities  []quantity
	contenders  []contender // the first is the base of the ratios
	run         func(settings, *child) (figures, error)
}

// contender is a kind of server.
type contender struct {
	name  string
	serve func() (address string, err error)

	// asMachines says that the server's computations are also machines.
	asMachines bool
}

// compute keeps the processors of the server's process computing.
func (c contender) compute() {
	for range 2 * runtime.GOMAXPROCS(0) {
		if c.asMachines {
			_ = computeAsync(context.Background())
			continue
		}
		go compute(context.Background())
	}
}

var (
	plain     = contender{name: "goroutines, net", serve: goroutines}
	ours      = contender{name: "machines, netio", serve: machines, asMachines: true}
	onNetpoll = contender{name: "netpoll", serve: cloudwego}
	onGnet    = contender{name: "gnet", serve: gnetEcho}
	onNbio    = contender{name: "nbio", serve: nbioEcho}
	floor     = contender{name: "bare epoll", serve: bare}

	webCoder   = contender{name: "coder/websocket", serve: coder}
	webLean    = contender{name: "goroutines, gobwas/ws", serve: gobwas}
	webAdopted = contender{name: "machines, gobwas/ws", serve: serveAdopted, asMachines: true}

	tlsPlain = contender{name: "goroutines, crypto/tls", serve: secureGoroutines}
	tlsOurs  = contender{name: "machines, netio and crypto/tls", serve: secureMachines, asMachines: true}
)

var (
	memory  = quantity{"bytes resident, a connection", "bytes"}
	threads = quantity{"goroutines", "goroutines"}
	rate    = quantity{"a second", "rate"}
	late    = quantity{"p99, µs", "p99"}
	effort  = quantity{"server's CPU, µs each", "cpu"}
	objects = quantity{"objects each", "objects"}
)

var works = []work{
	{"idle", "Idle TCP connections", []quantity{memory, threads},
		[]contender{plain, ours, onNetpoll, onGnet, onNbio, floor}, idle},
	{"websocket", "Idle WebSocket connections behind net/http", []quantity{memory, threads},
		[]contender{webCoder, webLean, webAdopted}, idleWeb},
	{"tls", "Idle connections with TLS, after a record of 64 bytes", []quantity{memory, threads},
		[]contender{tlsPlain, tlsOurs}, func(s settings, c *child) (figures, error) { return idleSecure(s, c, small) }},
	{"tls16k", "Idle connections with TLS, after a record of 16 kB", []quantity{memory, threads},
		[]contender{tlsPlain, tlsOurs}, func(s settings, c *child) (figures, error) { return idleSecure(s, c, 16<<10) }},
	{"echo", "Messages of 64 bytes that come back", []quantity{rate, late, effort, objects},
		[]contender{plain, ours, onNetpoll, onGnet, onNbio, floor}, talking},
	{"computing", "The same while the server's processors compute", []quantity{rate, late},
		[]contender{plain, ours}, whileComputing},
	{"accept", "Connections that come, exchange a message, and go", []quantity{rate, effort},
		[]contender{plain, ours, onNetpoll, onGnet, onNbio, floor}, comeAndGo},
	{"broadcast", "A message to all connections", []quantity{late, effort},
		[]contender{plain, ours}, broadcast},
	{"chat", "Chat over WebSocket in rooms of ten, 5 000 deliveries a second", []quantity{late, effort},
		[]contender{webLean, webAdopted, webCoder}, chat},
}

var errNoContender = errors.New("sockets: no such server")

func contenderOf(name string) (contender, error) {
	for _, w := range works {
		for _, c := range w.contenders {
			if c.name == name {
				return c, nil
			}
		}
	}
	return contender{}, fmt.Errorf("%w: %q", errNoContender, name)
}

// idle opens connections that have each exchanged a message.
func idle(s settings, server *child) (figures, error) {
	return resident(server, s.connections, func(n int) (func(), error) {
		c, err := enter(server.address, n)
		if err != nil {
			return nil, err
		}
		return c.leave, c.once(bytes.Repeat([]byte{'x'}, small), small)
	})
}

// idleWeb is idle for connections that have become WebSockets.
func idleWeb(s settings, server *child) (figures, error) {
	client, answer, err := frames(string(bytes.Repeat([]byte{'x'}, small)))
	if err != nil {
		return nil, err
	}
	return resident(server, s.connections, func(n int) (func(), error) {
		c, err := enterRooms(server.address, n, roomSize)
		if err != nil {
			return nil, err
		}
		return c.leave, c.once(client, len(answer))
	})
}

// enterRooms opens WebSockets in rooms with the given number of members.
func enterRooms(address string, n, each int) (*crowd, error) {
	return enterBy(address, n, func(i int, m *member) error {
		return m.upgrade(address, strconv.Itoa(i/each))
	})
}

func idleSecure(s settings, server *child, size int) (figures, error) {
	return resident(server, s.secure, func(n int) (func(), error) {
		all, err := connectSecurely(server.address, n, size)
		return func() {
			for _, c := range all {
				_ = c.NetConn().Close()
			}
		}, err
	})
}

// resident measures how much memory n connections add to the server. A few connections are opened
// and closed first, so that one-time costs do not count.
func resident(server *child, n int, open func(n int) (leave func(), err error)) (figures, error) {
	leave, err := open(min(n, 10))
	if err != nil {
		return nil, err
	}
	leave()
	before, err := server.ask(askUsage)
	if err != nil {
		return nil, err
	}
	if leave, err = open(n); err != nil {
		return nil, err
	}
	defer leave()
	after, err := server.ask(askUsage)
	return figures{
		memory.key:  float64(after.Resident-before.Resident) / float64(n),
		threads.key: float64(after.Goroutines),
	}, err
}

// talking makes clients send messages and wait for the echo.
func talking(s settings, server *child) (figures, error) {
	c, err := enter(server.address, s.busy)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	message := bytes.Repeat([]byte{'x'}, small)
	if err := c.once(message, small); err != nil {
		return nil, err
	}
	before, err := server.ask(askQuickly)
	if err != nil {
		return nil, err
	}
	took, err := c.talk(message, s.last)
	if err != nil {
		return nil, err
	}
	after, err := server.ask(askQuickly)
	f := spent(before, after, len(took))
	f[rate.key] = float64(len(took)) / s.last.Seconds()
	f[late.key] = p99(took)
	return f, err
}

// spent returns the server's cost per message, for n messages.
func spent(before, after consumption, n int) figures {
	return figures{
		effort.key:  float64(after.CPU-before.CPU) / 1e3 / float64(n),
		objects.key: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

func p99(took []time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return float64(took[len(took)*99/100]) / 1e3
}

func whileComputing(s settings, server *child) (figures, error) {
	if _, err := server.ask(askCompute); err != nil {
		return nil, err
	}
	s.busy = min(s.busy, 100)
	return talking(s, server)
}

// comeAndGo opens and closes connections one after the other.
func comeAndGo(s settings, server *child) (figures, error) {
	message, answer := bytes.Repeat([]byte{'x'}, small), make([]byte, small)
	before, err := server.ask(askQuickly)
	if err != nil {
		return nil, err
	}
	n := 0
	for until := time.Now().Add(s.last); time.Now().Before(until); n++ {
		m, err := connect(server.address)
		if err != nil {
			return nil, err
		}
		one := &crowd{members: []*member{m}}
		copy(one.buffer[:], answer)
		if err := one.once(message, small); err != nil {
			return nil, err
		}
		m.reset()
	}
	after, err := server.ask(askQuickly)
	f := spent(before, after, n)
	f[rate.key] = float64(n) / s.last.Seconds()
	return f, err
}

// broadcast measures the time until all members have received a message.
func broadcast(s settings, server *child) (figures, error) {
	c, err := enter(server.address, s.connections)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	if err := c.once(bytes.Repeat([]byte{'x'}, small), small); err != nil {
		return nil, err
	}
	if err := c.watch(); err != nil {
		return nil, err
	}
	before, err := server.ask(askQuickly)
	if err != nil {
		return nil, err
	}
	message := bytes.Repeat([]byte{'!'}, small)
	var took []time.Duration
	for until := time.Now().Add(s.last); time.Now().Before(until); {
		sent, missing := time.Now(), small*len(c.members)
		if _, err := c.members[0].Write(message); err != nil {
			return nil, err
		}
		err := c.heard(sent.Add(time.Minute), nil, func(_ *member, p []byte) (bool, error) {
			missing -= len(p)
			return missing == 0, nil
		})
		if err != nil || missing != 0 {
			return nil, errors.Join(err, fmt.Errorf("%d bytes of a broadcast are missing", missing))
		}
		took = append(took, time.Since(sent))
	}
	after, err := server.ask(askQuickly)
	f := spent(before, after, len(took)*len(c.members))
	f[late.key] = p99(took)
	return f, err
}

const (
	roomSize   = 10
	deliveries = 5000 // per second
)

// chat makes members of rooms speak at a fixed rate. It measures the time from a message to each
// of its deliveries.
func chat(s settings, server *child) (figures, error) {
	n := s.connections / roomSize * roomSize
	c, err := enterRooms(server.address, n, roomSize)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	message, delivered, err := frames(string(bytes.Repeat([]byte{'x'}, small)))
	if err != nil {
		return nil, err
	}
	if err := c.watch(); err != nil {
		return nil, err
	}
	before, err := server.ask(askQuickly)
	if err != nil {
		return nil, err
	}
	sent := make([]time.Time, n/roomSize) // by room; a room has at most one message in transit
	room := map[*member]int{}
	for i, m := range c.members {
		room[m] = i / roomSize
	}
	var took []time.Duration
	began, spoken := time.Now(), 0
	speak := func() error {
		for ; time.Since(began) > time.Duration(spoken)*time.Second*roomSize/deliveries; spoken++ {
			r := spoken % len(sent)
			sent[r] = time.Now()
			if _, err := c.members[r*roomSize].Write(message); err != nil {
				return err
			}
		}
		return nil
	}
	err = c.heard(began.Add(s.last), speak, func(m *member, p []byte) (bool, error) {
		for range len(p) / len(delivered) {
			took = append(took, time.Since(sent[room[m]]))
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	after, err := server.ask(askQuickly)
	f := spent(before, after, len(took))
	f[late.key] = p99(took)
	return f, err
}
