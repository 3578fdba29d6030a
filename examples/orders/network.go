package main

import (
	"errors"
	"net"
	"strings"
	"sync"
)

// network is the links between the servers of a cluster and from workers to servers. They pass
// through this process, which can cut them.
type network struct {
	servers [members][members]*link // from, to; none to itself
	clients [workers][members]*link // of each worker
}

// newNetwork makes links to servers at these addresses.
func newNetwork(routes, clients []string) (n *network, err error) {
	n = &network{}
	join := func(at **link, to string) {
		if err == nil {
			*at, err = newLink(to)
		}
	}
	for to := range members {
		for from := range members {
			if from != to {
				join(&n.servers[from][to], routes[to])
			}
		}
		for w := range workers {
			join(&n.clients[w][to], clients[to])
		}
	}
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// ways are the addresses by which servers reach each other, in the form of natstest.Plan.
func (n *network) ways() (list [][]string) {
	for _, from := range n.servers {
		var row []string
		for _, l := range from {
			row = append(row, l.address())
		}
		list = append(list, row)
	}
	return list
}

// url is the address of the servers for a worker.
func (n *network) url(worker int) string {
	var list []string
	for _, l := range n.clients[worker] {
		list = append(list, "nats://"+l.address())
	}
	return strings.Join(list, ",")
}

// around are the links between a server and the other servers.
func (n *network) around(server int) (list []*link) {
	for other := range members {
		if other != server {
			list = append(list, n.servers[server][other], n.servers[other][server])
		}
	}
	return list
}

// from are the links from all workers to a server.
func (n *network) from(server int) (list []*link) {
	for _, of := range n.clients {
		list = append(list, of[server])
	}
	return list
}

// close ends all links.
func (n *network) close() {
	for _, from := range n.servers {
		for _, l := range from {
			l.close()
		}
	}
	for _, of := range n.clients {
		for _, l := range of {
			l.close()
		}
	}
}

// link forwards data to an address, in both directions. While it is cut, it is silent: it accepts
// connections, and keeps their data for later. To programs, a network that loses all packets looks
// the same, since their systems resend them.
type link struct {
	listener net.Listener
	to       string
	running  sync.WaitGroup

	mu    sync.Mutex
	whole chan struct{} // closed: it passes
	conns map[net.Conn]bool
	ended bool
}

// newLink begins a link from an address of this host.
func newLink(to string) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not block
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, to: to, whole: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(l.whole)
	l.running.Go(l.serve)
	return l, nil
}

// address is where the link begins; empty: of none.
func (l *link) address() string {
	if l == nil {
		return ""
	}
	return l.listener.Addr().String()
}

// cut makes the link silent, until it is healed.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.whole:
		l.whole = make(chan struct{})
	default:
	}
}

func (l *link) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.whole:
	default:
		close(l.whole)
	}
}

// wait blocks until the link is whole.
func (l *link) wait() {
	l.mu.Lock()
	whole := l.whole
	l.mu.Unlock()
	<-whole
}

// close ends the link and its connections.
func (l *link) close() {
	if l == nil {
		return
	}
	_ = l.listener.Close() // it ends all the same
	l.mu.Lock()
	l.ended = true
	for c := range l.conns {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.heal()
	l.running.Wait()
}

func (l *link) serve() {
	for {
		c, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && l.keep(c) {
			l.running.Go(func() { l.pass(c) })
		}
	}
}

// keep records a connection, to be closed with the link, unless the link is already closed.
func (l *link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		_ = c.Close()
		return false
	}
	l.conns[c] = true
	return true
}

// drop closes a connection.
func (l *link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = c.Close()
	delete(l.conns, c)
}

// pass connects a connection to where the link leads, until either end closes it.
func (l *link) pass(c net.Conn) {
	defer l.drop(c)
	l.wait()
	far, err := net.Dial("tcp", l.to) //nolint:noctx // its end is this host
	if err != nil || !l.keep(far) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { l.flow(c, far) })
	l.flow(far, c)
	back.Wait()
}

// flow passes on one direction. The end of a connection is news, too, that waits for a whole link.
func (l *link) flow(to, from net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		l.wait()
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			l.drop(to)
			l.drop(from)
			return
		}
	}
}
