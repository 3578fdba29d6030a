// A hub of connections with TLS that have left an http.Server: each of them idles without a
// goroutine, and who speaks writes to none of them.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

//go:generate go tool movenext .

// secure is a listener whose connections are *netio.TLSConn.
type secure struct {
	net.Listener // its connections are *netio.Conn
	config       *tls.Config
}

// Accept does not wait for the handshake: the first read of http.Server performs it.
func (s secure) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return netio.Server(c.(*netio.Conn), s.config), nil
}

// hub tells each line of a member to all of them.
type hub struct {
	members *job.Scope

	mu  sync.Mutex
	all []*member
}

// member is a connection, and the lines that wait for it.
type member struct {
	conn  netio.AsyncConn
	lines *coord.Channel[[]byte]
}

// ServeHTTP lets the connection leave the server. The context of the request ends with it, so the
// machines get that of the scope.
func (h *hub) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	nc, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	ahead, _ := rw.Peek(rw.Reader.Buffered())
	conn := nc.(*netio.TLSConn)
	m := &member{conn, coord.NewBounded[[]byte](16, coord.Reject)}
	if !h.enter(m, ahead) {
		_ = conn.Close()
	}
}

// enter starts the machines of a member: one reads and one writes.
func (h *hub) enter(m *member, ahead []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, m)
	return h.members.Start(func(ctx context.Context) *job.Job[job.Void] { return h.serveAsync(ctx, m, ahead) }) &&
		h.members.Start(func(ctx context.Context) *job.Job[job.Void] { return m.writeAsync(ctx) })
}

// serve reads the lines of a member until its connection ends.
//
//movenext:async
func (h *hub) serve(ctx context.Context, m *member, ahead []byte) {
	defer h.leave(m)
	if _, err := m.conn.WriteAll(ctx, []byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: hub\r\n\r\n")); err != nil {
		return
	}
	in := netio.NewBuffered(m.conn, ahead...)
	for {
		line, err := in.ReadLine(ctx, 1024)
		if err != nil {
			return
		}
		h.tell(append(line, '\n'))
	}
}

// tell puts a line into the queues, and neither waits nor writes. A member whose queue is full is
// dropped: waiting for it would delay all others.
func (h *hub) tell(line []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.all {
		if m.lines.TrySend(line) != nil {
			_ = m.conn.Close() // which ends its machines
		}
	}
}

// write writes the lines of a member, on the scheduler of the scope.
//
//movenext:async
func (m *member) write(ctx context.Context) {
	for line, err := range m.lines.All(ctx) {
		if err == nil {
			_, err = m.conn.WriteAll(ctx, line)
		}
		if err != nil {
			_ = m.conn.Close()
			return
		}
	}
}

func (h *hub) leave(m *member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.all {
		if h.all[i] == m {
			h.all = append(h.all[:i], h.all[i+1:]...)
			break
		}
	}
	m.lines.Close()
	_ = m.conn.Close()
}

// drain closes the connections, and waits for their machines: the server does not know them.
func (h *hub) drain() error {
	h.members.Cancel(nil)
	h.mu.Lock()
	for _, m := range h.all {
		_ = m.conn.Close()
	}
	h.mu.Unlock()
	return h.members.Wait()
}

func main() {
	config, client := certificate()
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	h := &hub{members: job.NewScope(context.Background(), job.Supervisor())}
	server := &http.Server{Handler: h} //nolint:gosec // its only clients are below
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(secure{l.NetListener(), config}) }()

	ann, annReads := visit(l.Addr().String(), client)
	bob, bobReads := visit(l.Addr().String(), client)
	_, _ = fmt.Fprintln(ann, "I am Ann")
	fmt.Println("Ann hears:", next(annReads), "Bob hears:", next(bobReads))
	_, _ = fmt.Fprintln(bob, "I am Bob")
	fmt.Println("Ann hears:", next(annReads), "Bob hears:", next(bobReads))

	fmt.Println(server.Shutdown(context.Background()), <-ended) // it has let the two go
	fmt.Println(h.drain(), ann.Close(), bob.Close())
}

// certificate returns the configuration of a server, and that of its clients.
func certificate() (server, client *tls.Config) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	transport := s.Client().Transport.(*http.Transport)
	return &tls.Config{Certificates: s.TLS.Certificates},
		&tls.Config{RootCAs: transport.TLSClientConfig.RootCAs, ServerName: "example.com"}
}

// visit enters the hub, as any client with TLS does.
func visit(at string, config *tls.Config) (*tls.Conn, *bufio.Reader) {
	c, err := tls.Dial("tcp", at, config)
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: hub\r\n\r\n")
	r := bufio.NewReader(c)
	for next(r) != "" { // the answer, to its empty line
	}
	return c, r
}

func next(r *bufio.Reader) string {
	line, err := r.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}
