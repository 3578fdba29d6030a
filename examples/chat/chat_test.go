package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	server := httptest.NewServer(c.handler())
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
	require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
	for e.Kind != kind {
		e = event{}
		_, text, err := c.ReadMessage()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &e))
	}
	return e
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
	c, address := serving(t, 10, time.Minute)
	slow := gorilla(t, address, "lobby", "slow")
	hears(t, slow, "here")
	ann := gorilla(t, address, "lobby", "Ann")
	hears(t, ann, "here")
	text := []byte(strings.Repeat("x", 60<<10))
	for len(c.connections()) == 2 {
		require.NoError(t, ann.WriteMessage(websocket.TextMessage, text))
		assert.Len(t, hears(t, ann, "said").Text, len(text))
	}
	assert.Equal(t, "slow", hears(t, ann, "left").Name)
}

func TestASilentPeerIsAskedAndThenGivenUp(t *testing.T) {
	c, address := serving(t, 10, 50*time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, _, _, err := ws.Dial(ctx, at(address, "lobby", "dead"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	pinged := false
	for {
		op, _, err := readFrame(conn) // and answers nothing
		if err != nil {
			break
		}
		pinged = pinged || op == ws.OpPing
	}
	assert.True(t, pinged)

	ann := gorilla(t, address, "lobby", "Ann") // which answers, inside of ReadMessage
	asked := make(chan struct{}, 100)
	ann.SetPingHandler(func(string) error {
		asked <- struct{}{}
		return ann.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
	})
	go func() {
		for {
			if _, _, err := ann.ReadMessage(); err != nil {
				close(asked)
				return
			}
		}
	}()
	for range 4 {
		_, ok := <-asked
		assert.True(t, ok, "a peer that answers stays")
	}
	assert.Len(t, c.connections(), 1)
	_ = ann.Close()
	for range asked {
	}
}

// Each peer ends in the middle of some operation, or is slow.
func TestPeersThatBreakOff(t *testing.T) {
	c, address := serving(t, 100, 200*time.Millisecond)
	hello := "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
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
	go func() { ended <- serve(ctx, l, newChat(context.Background(), 10, time.Minute)) }()
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
