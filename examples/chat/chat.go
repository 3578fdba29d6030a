package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/movenext/movenext/netio"
)

// chat is a server of rooms. Pages and upgrades are requests of package net/http, each on
// its goroutine; a connection that has been upgraded leaves that package and is a machine
// from then on.
type chat struct {
	ctx            context.Context // of all connections; ends when the server has shut down
	silence        time.Duration
	maxConnections int      // connections at a time
	hosts          []string // with ports, under which browsers reach the server

	mu     sync.Mutex // guards the fields below
	rooms  map[string]*room
	live   map[*socket]struct{}
	closed bool

	machines sync.WaitGroup // the machines of all connections
}

// errFull is the error of a connection beyond the limit.
var errFull = errors.New("chat: too many connections")

// newChat returns a server of at most maxConnections connections for some hosts. A peer that is
// silent for some time gets a ping.
func newChat(ctx context.Context, maxConnections int, silence time.Duration, hosts ...string) *chat {
	return &chat{
		ctx: ctx, silence: silence, maxConnections: maxConnections, hosts: hosts,
		rooms: map[string]*room{}, live: map[*socket]struct{}{},
	}
}

//go:embed page.html
var page string

// policy is what the page may load and do: its one script, and connect to this server.
var policy = "default-src 'none'; style-src 'unsafe-inline'; script-src '" + hashOfScript(page) +
	"'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

func hashOfScript(page string) string {
	_, script, _ := strings.Cut(page, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// handler returns the pages of the chat: the page itself, and the sockets behind it.
func (c *chat) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page) // an error means that the reader has gone
	})
	mux.HandleFunc("GET /chat", c.enter)
	mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) {
		c.upgrade(w, r, func(s *socket) { _ = c.echoAsync(c.ctx, s) })
	})
	return c.guard(mux)
}

// guard keeps other sites from using the chat in their frames or under names of theirs;
// docs/howto/expose-a-page.md has the reasons.
func (c *chat) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin")
		if !slices.Contains(c.hosts, r.Host) {
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter is the request of a person who enters a room.
func (c *chat) enter(w http.ResponseWriter, r *http.Request) {
	name, roomName := r.FormValue("name"), r.FormValue("room")
	if !isPrintable(name) || !isPrintable(roomName) {
		http.Error(w, "name and room have 1 to 40 characters", http.StatusBadRequest)
		return
	}
	c.upgrade(w, r, func(s *socket) { _ = c.serveAsync(c.ctx, &member{s, name}, roomName) })
}

// isPrintable reports whether a name can be shown.
func isPrintable(name string) bool {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= 40 && utf8.ValidString(name)
}

// upgrade turns a request into a socket, and passes it to serve. The handler returns, and the
// goroutine of the connection ends.
func (c *chat) upgrade(w http.ResponseWriter, r *http.Request, serve func(*socket)) {
	if !c.isOurs(r.Header.Get("Origin")) { // or any page on the web could speak for its visitors
		http.Error(w, "this page may not connect", http.StatusForbidden)
		return
	}
	if !c.mayEnter() {
		http.Error(w, errFull.Error(), http.StatusServiceUnavailable)
		return
	}
	nc, rw, _, err := ws.HTTPUpgrader{Timeout: writeTime}.Upgrade(r, w)
	if err != nil {
		return // Upgrade has answered
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	conn, err := netio.Adopt(nc, ahead...)
	if err != nil {
		_ = nc.Close()
		return
	}
	s := newSocket(conn, ws.StateServerSide, c.silence)
	if err := c.add(s); err != nil {
		_ = conn.Close()
		return
	}
	serve(s)
}

// isOurs reports whether a request with that Origin comes from a page of this server, or from no
// page. It is tempting to compare Origin with Host: the client chooses both.
func (c *chat) isOurs(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && slices.Contains(c.hosts, u.Host)
}

func (c *chat) mayEnter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed && len(c.live) < c.maxConnections
}

// add records a connection. A connection that arrives while the server shuts down is refused.
func (c *chat) add(s *socket) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.live) >= c.maxConnections {
		return errFull
	}
	c.live[s] = struct{}{}
	c.machines.Add(1)
	return nil
}

func (c *chat) remove(s *socket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, s)
	c.machines.Done()
}

// connections returns all connections.
func (c *chat) connections() (all []*socket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.live {
		all = append(all, s)
	}
	return all
}

// serve is the life of a connection: one loop.
//
//movenext:async
func (c *chat) serve(ctx context.Context, m *member, roomName string) {
	defer c.remove(m.socket)
	r := c.join(ctx, roomName, m)
	for {
		op, text, err := m.readMessage(ctx)
		if err == nil && op != ws.OpText {
			err = &closeError{ws.StatusUnsupportedData, "a chat is text"}
		}
		if err != nil {
			c.leave(ctx, roomName, r, m)
			m.end(ctx, err)
			return
		}
		r.tell(ctx, event{Kind: "said", Name: m.name, Text: string(text)})
	}
}

// echo returns each message to its sender. Test suites of the protocol need such a peer.
//
//movenext:async
func (c *chat) echo(ctx context.Context, s *socket) {
	defer c.remove(s)
	for {
		op, message, err := s.readMessage(ctx)
		if err != nil {
			s.end(ctx, err)
			return
		}
		s.send(ctx, ws.NewFrame(op, true, message))
	}
}

// shutdown says goodbye to all connections and returns when they have ended. Those that have not
// ended when ctx ends are closed without a goodbye.
func (c *chat) shutdown(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	bye := ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusGoingAway, "the server stops"))
	for _, s := range c.connections() {
		s.send(c.ctx, bye)
	}
	done := make(chan struct{})
	go func() { c.machines.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		for _, s := range c.connections() {
			_ = s.conn.Close()
		}
		<-done
	}
}

// event is what the members of a room are told, as JSON.
type event struct {
	Kind  string   `json:"kind"` // joined, left, said, or here: the first event of a member
	Name  string   `json:"name,omitempty"`
	Text  string   `json:"text,omitempty"`
	Names []string `json:"names,omitempty"` // some of those that are here
	Count int      `json:"count,omitempty"` // how many are
}

// frame returns the event as a frame of a server.
func (e event) frame() []byte {
	text, err := json.Marshal(e)
	if err != nil {
		text = []byte(strconv.Quote(err.Error())) // no event is like that
	}
	return ws.MustCompileFrame(ws.NewTextFrame(text))
}
