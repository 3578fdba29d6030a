package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running is a service on a file.
type running struct {
	url   string
	drain func()
}

func start(t *testing.T, file string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	box, err := openOutbox(ctx, file)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l, box) }()
	drain := sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, box.Close())
		box.client.CloseIdleConnections()
	})
	t.Cleanup(drain)
	return &running{"http://" + l.Addr().String(), drain}
}

func (r *running) send(t *testing.T, to, lane, body string) int {
	t.Helper()
	at := r.url + "/hooks?" + url.Values{"to": {to}, "lane": {lane}}.Encode()
	answer, err := http.DefaultClient.Post(at, "application/x-www-form-urlencoded", strings.NewReader(body))
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	return answer.StatusCode
}

func get(t *testing.T, at string) (status int, text string) {
	t.Helper()
	answer, err := http.DefaultClient.Get(at)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body)
}

// receiver takes hooks, and refuses as many as it is told.
type receiver struct {
	*httptest.Server
	refuse chan struct{}
	took   chan string
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{refuse: make(chan struct{}, 10), took: make(chan string, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		select {
		case <-r.refuse:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			body, _ := io.ReadAll(q.Body)
			r.took <- string(body) + " of " + q.Header.Get("Idempotency-Key")
		}
	}))
	t.Cleanup(r.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return r
}

func TestAHookIsDeliveredAfterARefusalAndShown(t *testing.T) {
	r, s := receive(t), start(t, filepath.Join(t.TempDir(), "box.db"))
	r.refuse <- struct{}{}
	for _, body := range []string{"one=1", "two", "three"} {
		require.Equal(t, http.StatusAccepted, s.send(t, r.URL, "ann", body))
	}
	assert.Equal(t, []string{"one=1 of 1", "two of 2", "three of 3"}, []string{<-r.took, <-r.took, <-r.took})

	answer, err := http.DefaultClient.Get(s.url + "/events")
	require.NoError(t, err)
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if lines.Text() == `data: {"Waiting":0,"Delivered":3,"Retried":1,"Failed":0}` {
			break
		}
	}
	require.NoError(t, answer.Body.Close())

	for path, want := range map[string]string{
		"/": "page.js", "/page.js": "/events", "/machines/": "suspended machines", "/metrics": "movenext_scheduler_works_begun_total",
	} {
		status, text := get(t, s.url+path)
		assert.Equal(t, http.StatusOK, status, path)
		assert.Contains(t, text, want, path)
	}
	assert.Equal(t, http.StatusBadRequest, s.send(t, "file:///etc/passwd", "", ""))
	assert.Equal(t, http.StatusRequestEntityTooLarge, s.send(t, r.URL, "", strings.Repeat("x", maxBody+1)))
}

func TestAHookOutlivesItsProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "box.db")
	r, first := receive(t), start(t, file)
	for range cap(r.refuse) {
		r.refuse <- struct{}{}
	}
	require.Equal(t, http.StatusAccepted, first.send(t, r.URL, "ann", "one"))
	require.Equal(t, http.StatusAccepted, first.send(t, r.URL, "ann", "two"))
	require.Eventually(t, func() bool { return len(r.refuse) < cap(r.refuse) }, time.Minute, time.Millisecond)
	began := time.Now()
	first.drain()
	assert.Less(t, time.Since(began), 30*time.Second, "the pauses have ended early")
	for len(r.refuse) > 0 {
		<-r.refuse
	}
	start(t, file)
	assert.Equal(t, []string{"one of 1", "two of 2"}, []string{<-r.took, <-r.took})
}

func TestALineOfTheLogNamesItsRequestAndATraceItsJob(t *testing.T) {
	var log, spans strings.Builder
	stop, err := traceTo(&spans)
	require.NoError(t, err)
	w := &simulated{took: map[string][]int64{}, busy: map[string]int{}}
	d := newDispatcher(context.Background(), w, newLogger(&log))
	require.NoError(t, d.accept(context.Background(), hook{Request: "r1"}))
	require.NoError(t, d.deliveries.Wait())
	stop()
	assert.Contains(t, log.String(), `msg=done hook=1 lane="" request=r1`)
	assert.Contains(t, spans.String(), "deliver")
}
