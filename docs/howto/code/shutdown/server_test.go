package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAServerStopsInOrder requests a page that would take an hour, and stops the server when its
// handler has begun.
func TestAServerStopsInOrder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	begun := make(chan struct{}, 2)
	ctx, signal := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- struct{}{}
			page(w, r)
		}), time.Millisecond)
	}()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(takes string) (int, string) {
		answer, err := client.Get("http://" + l.Addr().String() + "/?takes=" + takes)
		if !assert.NoError(t, err) {
			return 0, ""
		}
		text, err := io.ReadAll(answer.Body)
		assert.NoError(t, err)
		assert.NoError(t, answer.Body.Close())
		return answer.StatusCode, string(text)
	}
	status, text := get("1ms")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "a page\n", text)
	<-begun

	type answer struct {
		status int
		text   string
	}
	answered := make(chan answer, 1)
	go func() {
		status, text := get("1h")
		answered <- answer{status, text}
	}()
	<-begun
	signal()
	a := <-answered
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.Contains(t, a.text, "the service stops")
	assert.NoError(t, <-served)
	_, err = net.Dial("tcp", l.Addr().String())
	assert.Error(t, err, "a stopped server accepts nothing")
}
