package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	coder "github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serving starts a chat for the time of a test, and returns its address.
func serving(t *testing.T, most int, silence time.Duration) (c *chat, address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c = newChat(ctx, most, silence)
	server := httptest.NewUnstartedServer(c.handler())
	c.hosts = names(server.Listener.Addr(), "")
	server.Start()
	t.Cleanup(func() {
		defer cancel()
		last, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		server.Close()
		c.shutdown(last)
		assert.Empty(t, c.connections())
		assert.Empty(t, c.rooms)
	})
	return c, server.Listener.Addr().String()
}

// at returns the address of a member's socket.
func at(address, room, name string) string {
	return "ws://" + address + "/chat?" + url.Values{"room": {room}, "name": {name}}.Encode()
}

// gorilla enters a room with a foreign client.
func gorilla(t *testing.T, address, room, name string) *websocket.Conn {
	t.Helper()
	c, answer, err := websocket.DefaultDialer.Dial(at(address, room, name), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// hears reads events until one is of the kind.
func hears(t *testing.T, c *websocket.Conn, kind string) (e event) {
	t.Helper()
	for e.Kind != kind {
		e = next(t, c)
	}
	return e
}

// next reads an event.
func next(t *testing.T, c *websocket.Conn) (e event) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	_, text, err := c.ReadMessage()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &e))
	return e
}

// untilSaid reads events until one is a message, and returns it and the names of those that
// left before it, in no order. A member leaves a room before its connection has been removed,
// so whoever waits for a member that is dropped must not ask the server how many connections
// there are.
func untilSaid(t *testing.T, c *websocket.Conn) (said event, left []string) {
	t.Helper()
	for said.Kind != "said" {
		if said = next(t, c); said.Kind == "left" {
			left = append(left, said.Name)
		}
	}
	return said, left
}

func TestAMessageReachesTheRoomAndNoOther(t *testing.T) {
	_, address := serving(t, 10, time.Minute)
	ann := gorilla(t, address, "lobby", "Ann")
	assert.Equal(t, []string{"Ann"}, hears(t, ann, "here").Names)
	eve := gorilla(t, address, "elsewhere", "Eve")
	hears(t, eve, "here")

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	bob, _, err := coder.Dial(ctx, at(address, "lobby", "Bob"), nil) //nolint:bodyclose // it has none
	require.NoError(t, err)
	assert.Equal(t, event{Kind: "joined", Name: "Bob", Count: 2}, hears(t, ann, "joined"))
	require.NoError(t, bob.Write(ctx, coder.MessageText, []byte("hello <b>")))
	assert.Equal(t, event{Kind: "said", Name: "Bob", Text: "hello <b>"}, hears(t, ann, "said"))
	require.NoError(t, bob.Close(coder.StatusNormalClosure, "bye"))
	assert.Equal(t, event{Kind: "left", Name: "Bob", Count: 1}, hears(t, ann, "left"))

	require.NoError(t, eve.WriteMessage(websocket.TextMessage, []byte("alone")))
	assert.Equal(t, "alone", hears(t, eve, "said").Text, "the first that is said there")
}

func TestAShutdownSaysGoodbye(t *testing.T) {
	c, address := serving(t, 10, time.Minute)
	ann := gorilla(t, address, "lobby", "Ann")
	hears(t, ann, "here")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); c.shutdown(ctx) }()
	for {
		_, _, err := ann.ReadMessage()
		if err != nil {
			assert.True(t, websocket.IsCloseError(err, websocket.CloseGoingAway), "%v", err)
			break
		}
	}
	<-done
	assert.NoError(t, ctx.Err(), "the peer has answered, so there was nothing to wait for")
}

// A peer that never reads is dropped when its queue is full, and the others receive everything.
func TestASlowMemberDelaysNoOther(t *testing.T) {
	_, address := serving(t, 10, time.Minute)
	slow := gorilla(t, address, "lobby", "slow")
	hears(t, slow, "here")
	ann := gorilla(t, address, "lobby", "Ann")
	hears(t, ann, "here")
	text := []byte(strings.Repeat("x", 60<<10))
	for dropped := []string(nil); dropped == nil; {
		require.NoError(t, ann.WriteMessage(websocket.TextMessage, text))
		var said event
		said, dropped = untilSaid(t, ann)
		assert.Len(t, said.Text, len(text))
	}
}

func TestASilentPeerIsAskedAndThenGivenUp(t *testing.T) {
	_, address := serving(t, 10, 50*time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, ahead, _, err := ws.Dial(ctx, at(address, "lobby", "dead"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	from := io.Reader(conn)
	if ahead != nil { // frames that came with the handshake
		from = ahead
	}
	pinged := false
	for {
		op, _, err := readFrame(from) // and answers nothing
		if err != nil {
			break
		}
		pinged = pinged || op == ws.OpPing
	}
	assert.True(t, pinged)
}

// A peer on a machine that is busy answers too late for a short silence, and is given up. So the
// silence grows until the peer's answers count.
func TestAPeerThatAnswersStays(t *testing.T) {
	silence := 50 * time.Millisecond
	for !answersInTime(t, silence) {
		silence *= 2
		require.Less(t, silence, 10*time.Second, "answers do not count")
	}
}

// answersInTime reports whether a peer that is silent but for its pongs is asked four times.
func answersInTime(t *testing.T, silence time.Duration) bool {
	t.Helper()
	_, address := serving(t, 10, silence)
	ann := gorilla(t, address, "lobby", "Ann")
	asked := 0
	answer := ann.PingHandler()
	ann.SetPingHandler(func(text string) error {
		if asked++; asked == 4 {
			return errEnough
		}
		return answer(text)
	})
	for {
		if _, _, err := ann.ReadMessage(); err != nil {
			return errors.Is(err, errEnough)
		}
	}
}

var errEnough = errors.New("asked often enough")

// Each peer ends in the middle of some operation, or is slow.
func TestPeersThatBreakOff(t *testing.T) {
	c, address := serving(t, 100, 200*time.Millisecond)
	hello := "GET /echo HTTP/1.1\r\nHost: " + address + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
	for _, sent := range []string{
		hello,                               // and is gone
		hello + "\x81",                      // half a header
		hello + "\x81\xfe\x00",              // half a length
		hello + "\x81\x85\x01\x02\x03\x04h", // a fifth of a payload
		hello + "\x01\x81\x00\x00\x00\x00h", // a fragment
	} {
		gone, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, err = io.WriteString(gone, sent)
		require.NoError(t, err)
		require.NoError(t, gone.(*net.TCPConn).SetLinger(0)) // a reset, not an end
		require.NoError(t, gone.Close())

		still, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer func() { _ = still.Close() }()
		_, err = io.WriteString(still, sent)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, still) // ends when the server gives up
	}
	assert.Eventually(t, func() bool { return len(c.connections()) == 0 }, 20*time.Second, time.Millisecond)
}

func TestRequestsThatAreRefused(t *testing.T) {
	_, address := serving(t, 1, time.Minute)
	hears(t, gorilla(t, address, "lobby", "Ann"), "here")
	for _, c := range []struct {
		name, path, origin string
		status             int
	}{
		{"another origin", "/chat?name=Eve&room=lobby", "http://evil.example", http.StatusForbidden},
		{"another port of this computer", "/chat?name=Eve&room=lobby", "http://127.0.0.1:1", http.StatusForbidden},
		{"no origin that a URL has", "/chat?name=Eve&room=lobby", "null", http.StatusForbidden},
		{"no name", "/chat?room=lobby", "", http.StatusBadRequest},
		{"a long room", "/chat?name=Eve&room=" + strings.Repeat("x", 41), "", http.StatusBadRequest},
		{"a name with a control character", "/chat?name=E%07ve&room=lobby", "", http.StatusBadRequest},
		{"one too many", "/chat?name=Eve&room=lobby", "http://" + address, http.StatusServiceUnavailable},
		{"no page", "/nothing", "", http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{}
			if c.origin != "" {
				header.Set("Origin", c.origin)
			}
			_, answer, err := websocket.DefaultDialer.Dial("ws://"+address+c.path, header)
			require.Error(t, err)
			require.NotNil(t, answer)
			require.NoError(t, answer.Body.Close())
			assert.Equal(t, c.status, answer.StatusCode)
		})
	}
	answer, err := http.Get("http://" + address + "/chat?name=Eve&room=lobby")
	require.NoError(t, err)
	assert.NoError(t, answer.Body.Close())
	assert.NotEqual(t, http.StatusOK, answer.StatusCode, "no upgrade was asked for")
}

func TestALoadBalances(t *testing.T) {
	_, address := serving(t, 100, time.Minute)
	var out strings.Builder
	err := loadServer(context.Background(), config{addr: address, load: 50, rooms: 7, rate: 200, last: 300 * time.Millisecond}, &out)
	require.NoError(t, err)
	assert.Contains(t, out.String(), "50 members in 7 rooms")
	assert.Contains(t, out.String(), "lost 0 messages, 0 connections")
}

func TestServeEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l, newChat(context.Background(), 10, time.Minute, names(l.Addr(), "")...)) }()
	ann := gorilla(t, l.Addr().String(), "lobby", "Ann")
	hears(t, ann, "here")
	cancel()
	_, _, err = ann.ReadMessage()
	for err == nil {
		_, _, err = ann.ReadMessage()
	}
	require.NoError(t, <-ended)
	assert.True(t, websocket.IsCloseError(err, websocket.CloseGoingAway), "%v", err)
	http.DefaultClient.CloseIdleConnections()
}

// A page of another site whose name resolves to this computer has the Host and the Origin of its
// own name.
func TestAnotherNameOfThisComputerIsRefused(t *testing.T) {
	_, address := serving(t, 10, time.Minute)
	for _, path := range []string{"/", "/chat?name=Eve&room=lobby", "/nothing"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		require.NoError(t, err)
		r.Host = "evil.example"
		r.Header.Set("Origin", "http://evil.example")
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusMisdirectedRequest, answer.StatusCode)
		assert.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
		assert.Contains(t, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	}
	http.DefaultClient.CloseIdleConnections()
}

// A few megabytes of text in which each byte is six of JSON, to members that read nothing. What the
// server holds for a member is bounded in bytes, and the frame of a message is there once. The one
// that reads stays, although the others leave while it gets its own message.
func TestManySlowMembersHoldLittleMemory(t *testing.T) {
	const slow, mostHeld = 40, 64 << 20
	c, address := serving(t, 100, time.Minute)
	for n := range slow {
		hears(t, gorilla(t, address, "lobby", "slow"+strconv.Itoa(n)), "here")
	}
	ann := gorilla(t, address, "lobby", "Ann")
	hears(t, ann, "here")
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	text := bytes.Repeat([]byte{1}, maxMessage-1)
	for dropped := 0; dropped < slow; {
		require.NoError(t, ann.WriteMessage(websocket.TextMessage, text))
		said, left := untilSaid(t, ann)
		assert.Len(t, said.Text, len(text))
		dropped += len(left)
		for _, s := range c.connections() {
			s.mu.Lock()
			assert.LessOrEqual(t, s.held, maxHeld)
			s.mu.Unlock()
		}
		runtime.GC()
		runtime.ReadMemStats(&now)
		require.Less(t, int64(now.HeapAlloc)-int64(before.HeapAlloc), int64(mostHeld))
	}
}
