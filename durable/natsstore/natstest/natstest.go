// Package natstest starts NATS servers in this process, alone or as a cluster, for tests and
// experiments. They have no passwords, and listen only on this host.
package natstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/movenext/movenext/durable/natsstore/internal/serving"
)

// Server is a server of a [Plan] that runs in this process.
type Server struct{ server *server.Server }

// Plan describes the servers of a cluster, which may run in several processes.
type Plan struct {
	Dir      string   // contains a folder for each server
	Clients  []string // the addresses for clients, host:port; one for each server
	Routes   []string // the addresses for the other servers
	Unsynced bool     // answer before files are synced

	// Ways are the addresses at which each server reaches the others, Ways[from][to], if those
	// are not their Routes: a test can put a connection that it can cut in between. Servers then
	// do not advertise other addresses to each other or to clients.
	Ways [][]string
}

// NewPlan returns a plan of n servers in dir, with ports of this host that are free now. An
// outgoing connection of another program does not take one before its server starts, or while the
// server restarts: the ports are below those that systems choose for connections.
func NewPlan(dir string, n int) (p Plan, err error) {
	p.Dir = dir
	var held []net.Listener
	for range 2 * n {
		l, err := listen()
		if err != nil {
			return p, errors.Join(err, closeAll(held))
		}
		held = append(held, l)
	}
	for i, l := range held {
		if address := l.Addr().String(); i < n {
			p.Clients = append(p.Clients, address)
		} else {
			p.Routes = append(p.Routes, address)
		}
	}
	return p, closeAll(held)
}

// The ports of plans. Systems choose those of connections from 32768 (Linux), 49152, or higher.
const firstPort, lastPort = 16_000, 32_000

// listen listens on a port for a plan that is free.
func listen() (l net.Listener, err error) {
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if l, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			return l, nil
		}
	}
	return nil, err
}

func closeAll(held []net.Listener) (err error) {
	for _, l := range held {
		err = errors.Join(err, l.Close())
	}
	return err
}

// URL returns the address of all servers, for natsstore.Connect.
func (p Plan) URL() string { return "nats://" + strings.Join(p.Clients, ",nats://") }

// Name returns the name of server i, by which a stream names its leader.
func (p Plan) Name(i int) string { return fmt.Sprint("server-", i) }

// Start starts or restarts server i of the plan. It does not wait for the others.
func (p Plan) Start(i int) (*Server, error) {
	config := serving.Config{
		Dir: filepath.Join(p.Dir, p.Name(i)), Name: p.Name(i), Listen: p.Clients[i], Unsynced: p.Unsynced, Store: most,
	}
	if len(p.Clients) > 1 {
		config.Cluster, config.Routes = p.Routes[i], p.Routes
	}
	if p.Ways != nil {
		config.Fixed, config.Routes = true, slices.Delete(slices.Clone(p.Ways[i]), i, i+1)
	}
	s, err := serving.Start(config)
	if err != nil {
		return nil, fmt.Errorf("natstest: starting %s: %w", p.Name(i), err)
	}
	return &Server{s}, nil
}

// most limits the bytes that a server keeps.
const most = 8 << 30

// Stop ends the server and its connections, and waits for the server's end. A second call does
// nothing.
func (s *Server) Stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// Cluster is the servers of a plan, running in this process.
type Cluster struct {
	Plan
	Servers []*Server
}

// New starts a cluster of n servers that lasts as long as the test.
func New(t testing.TB, n int) *Cluster {
	t.Helper()
	p, err := NewPlan(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	p.Unsynced = true // the machine does not lose power during a test
	c := &Cluster{Plan: p}
	t.Cleanup(func() {
		for _, s := range c.Servers {
			s.Stop()
		}
	})
	for i := range n {
		s, err := p.Start(i)
		if err != nil {
			t.Fatal(err)
		}
		c.Servers = append(c.Servers, s)
	}
	return c
}
