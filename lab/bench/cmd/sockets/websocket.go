//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/movenext/movenext/netio"
)

// Servers that speak WebSocket behind net/http. A text message goes to all members of the
// sender's room, the sender included; the room is the path.

// handshake is what a client sends to enter a room. Its key is that of RFC 6455's example.
func handshake(address, room string) string {
	return fmt.Sprintf("GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", room, address)
}

// upgrade performs the client's half of the handshake.
func (m *member) upgrade(address, room string) error {
	if _, err := io.WriteString(m, handshake(address, room)); err != nil {
		return err
	}
	// The server says nothing after its answer, so the reader reads nothing ahead.
	answer, err := http.ReadResponse(bufio.NewReader(m), nil)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("the handshake was answered with %s", answer.Status)
	}
	return nil
}

// frames returns a text message as a client sends it, and as a server does.
func frames(text string) (client, server []byte, err error) {
	if server, err = ws.CompileFrame(ws.NewTextFrame([]byte(text))); err != nil {
		return nil, nil, err
	}
	client, err = ws.CompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte(text))))
	return client, server, err
}

// serveHTTP serves requests until the process ends.
func serveHTTP(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", anyPort)
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(l, h) }() //nolint:gosec // no client but ours
	return l.Addr().String(), nil
}

// coder is a server on github.com/coder/websocket, written as its documentation shows.
func coder() (string, error) {
	var all rooms[coderConn]
	return serveHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.CloseNow() }()
		g := all.room(r.URL.Path)
		id := g.add(coderConn{c})
		defer g.remove(id)
		for {
			_, p, err := c.Read(context.Background())
			if err != nil {
				return
			}
			g.tell(p)
		}
	}))
}

// coderConn writes a message with each Write.
type coderConn struct{ c *websocket.Conn }

func (c coderConn) Write(p []byte) (int, error) {
	return len(p), c.c.Write(context.Background(), websocket.MessageText, p)
}

// gobwas is a server with a goroutine for each connection on github.com/gobwas/ws: a lean one,
// since the handler's goroutine and buffers are given up.
func gobwas() (string, error) {
	var all rooms[net.Conn]
	return serveHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, _, err := ws.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		go gobwasLoop(all.room(r.URL.Path), c)
	}))
}

func gobwasLoop(g *group[net.Conn], c net.Conn) {
	id := g.add(c)
	defer g.remove(id)
	defer func() { _ = c.Close() }()
	for {
		p, err := wsutil.ReadClientText(c)
		if err != nil {
			return
		}
		frame, err := ws.CompileFrame(ws.NewTextFrame(p))
		if err != nil {
			return
		}
		g.tell(frame)
	}
}

// serveAdopted is the same with machines: the connections leave net/http and package net.
func serveAdopted() (string, error) {
	var all rooms[*netio.Conn]
	return serveHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, _, err := ws.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
		c, err := netio.Adopt(nc, ahead...)
		if err != nil {
			_ = nc.Close()
			return
		}
		_ = framesOfAsync(context.Background(), all.room(r.URL.Path), c)
	}))
}

var errNoText = errors.New("no text message of one small frame")

//movenext:async
func framesOf(ctx context.Context, g *group[*netio.Conn], c *netio.Conn) error {
	id := g.add(c)
	defer g.remove(id)
	defer func() { _ = c.Close() }()
	in := netio.NewBuffered(c)
	for {
		if err := in.Readable(ctx); err != nil {
			return err
		}
		head, err := in.Peek(ctx, 6)
		if err != nil {
			return err
		}
		if ws.OpCode(head[0]&0x0f) != ws.OpText || head[1] > 0x80|125 {
			return errNoText
		}
		size, mask := int(head[1]&0x7f), [4]byte(head[2:6])
		p := make([]byte, 6+size)
		for n := 0; n < len(p); {
			got, err := in.Read(p[n:])
			if n += got; err != nil {
				return err
			}
		}
		ws.Cipher(p[6:], mask, 0)
		frame, err := ws.CompileFrame(ws.NewTextFrame(p[6:]))
		if err != nil {
			return err
		}
		g.tell(frame)
	}
}

// rooms are the groups of a server, by the path of the request.
type rooms[C interface{ Write([]byte) (int, error) }] struct {
	group[C] // its lock guards the map
	byPath   map[string]*group[C]
}

func (r *rooms[C]) room(path string) *group[C] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byPath == nil {
		r.byPath = map[string]*group[C]{}
	}
	path = strings.Clone(path)
	g := r.byPath[path]
	if g == nil {
		g = new(group[C])
		r.byPath[path] = g
	}
	return g
}
