package netio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/netio"
)

// fault is what a proxy does to a connection that goes through it.
type fault int

const (
	harmless fault = iota
	piecemeal
	reset  // both sides, after some bytes
	hangUp // towards the client, after some bytes
	stall  // after some bytes nothing moves any more
	faults
)

// proxy stands between clients and a server. It is plain Go on package net, so a fault of
// netio is not repeated in it.
type proxy struct {
	*net.TCPListener
	target string
	faults chan fault // one for each connection

	ended sync.WaitGroup
	over  chan struct{} // ends what stalls
}

// proxyTo starts a proxy, which ends with the test.
func proxyTo(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	p := &proxy{TCPListener: l, target: target, faults: make(chan fault, 1), over: make(chan struct{})}
	p.ended.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		close(p.over)
		p.ended.Wait()
	})
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.AcceptTCP()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			return
		}
		p.ended.Go(func() { p.relay(client, server.(*net.TCPConn), <-p.faults) })
	}
}

// relay copies in both directions, until both have ended or the fault happens.
func (p *proxy) relay(client, server *net.TCPConn, f fault) {
	var both sync.WaitGroup
	both.Go(func() { p.copy(server, client, f, 3000) })
	both.Go(func() { p.copy(client, server, f, 5000) })
	both.Wait()
	_ = client.Close()
	_ = server.Close()
}

func (p *proxy) copy(to, from *net.TCPConn, f fault, most int) {
	buffer := make([]byte, 4096)
	for seen := 0; ; {
		n, err := from.Read(buffer)
		if f >= reset && seen+n > most {
			p.fail(to, from, f)
			return
		}
		seen += n
		for at := 0; at < n; {
			end := n
			if f == piecemeal {
				end = min(n, at+1+at%7)
			}
			m, err := to.Write(buffer[at:end])
			at += m
			if err != nil {
				return
			}
		}
		if err != nil {
			_ = to.CloseWrite()
			return
		}
	}
}

func (p *proxy) fail(to, from *net.TCPConn, f fault) {
	switch f {
	case reset:
		_, _ = to.SetLinger(0), from.SetLinger(0)
		_, _ = to.Close(), from.Close()
	case hangUp:
		_, _ = to.Close(), from.Close()
	case stall:
		<-p.over
	}
}

// outcome is what one end has seen.
type outcome struct {
	received []byte
	sent     error // why sending has ended, or nil
	read     error // why receiving has ended; io.EOF: the peer has ended well
}

// exchange sends and receives at the same time, until both are over.
//
//movenext:async
func exchange(ctx context.Context, c *netio.Conn, data []byte) (o outcome) {
	sending := sendAllAsync(ctx, c, data)
	o.received, o.read = receiveAll(ctx, c)
	_, o.sent = sending.Await()
	_ = c.Close()
	return o
}

//movenext:async
func sendAll(ctx context.Context, c *netio.Conn, data []byte) error {
	for n := 1; len(data) > 0; n = n*3%7919 + 1 {
		piece := data[:min(n, len(data))]
		if _, err := c.WriteAll(ctx, piece); err != nil {
			return err
		}
		data = data[len(piece):]
	}
	return c.CloseWrite()
}

//movenext:async
func receiveAll(ctx context.Context, c *netio.Conn) (all []byte, err error) {
	p := make([]byte, 1000)
	for {
		if err := c.Readable(ctx); err != nil {
			return all, err
		}
		n, err := c.Read(p)
		all = append(all, p[:n]...)
		if err != nil {
			return all, err
		}
	}
}

// TestThroughAProxyThatFails lets two ends exchange data through a proxy. Whatever that
// does, each end receives a beginning of what the other has sent, and knows how it ended.
func TestThroughAProxyThatFails(t *testing.T) {
	before := descriptors(t)
	t.Run("", func(t *testing.T) {
		l := listen(t, "tcp")
		p := proxyTo(t, l.Addr().String())
		random := rand.New(rand.NewPCG(7, 7))
		for f := range faults {
			for round := range 10 {
				up, down := noise(random, 40_000), noise(random, 60_000)
				p.faults <- f
				c, err := netio.Dial(context.Background(), "tcp", p.Addr().String())
				require.NoError(t, err)
				s, err := l.Accept()
				require.NoError(t, err)
				if f == stall { // nothing else tells them
					require.NoError(t, c.SetDeadline(time.Now().Add(50*time.Millisecond)))
					require.NoError(t, s.SetDeadline(time.Now().Add(50*time.Millisecond)))
				}
				server := exchangeAsync(context.Background(), s, down)
				client := exchangeEither(round%2 == 0, c, up)
				at, err := server.Await()
				require.NoError(t, err)
				name := fmt.Sprint("fault ", f, ", round ", round)
				addresses(t, name+", client", f, client, down)
				addresses(t, name+", server", f, at, up)
			}
		}
	})
	assert.Eventually(t, func() bool { return descriptors(t) <= before }, 10*time.Second, time.Millisecond)
}

func exchangeEither(plain bool, c *netio.Conn, data []byte) outcome {
	if plain {
		return exchange(context.Background(), c, data)
	}
	o, _ := exchangeAsync(context.Background(), c, data).Await()
	return o
}

// addresses checks what one end has seen.
func addresses(t *testing.T, name string, f fault, got outcome, sent []byte) {
	t.Helper()
	require.LessOrEqual(t, len(got.received), len(sent), name)
	require.True(t, bytes.Equal(sent[:len(got.received)], got.received), name)
	switch f {
	case harmless, piecemeal:
		assert.Len(t, got.received, len(sent), name)
		assert.NoError(t, got.sent, name)
		assert.Equal(t, io.EOF, got.read, name)
	case reset, hangUp:
		assert.True(t, got.read == io.EOF || broken(got.read), "%s: %v", name, got.read)
		assert.True(t, got.sent == nil || broken(got.sent), "%s: %v", name, got.sent)
	case stall:
		assert.ErrorIs(t, got.read, os.ErrDeadlineExceeded, name)
		assert.True(t, got.sent == nil || errors.Is(got.sent, os.ErrDeadlineExceeded), "%s: %v", name, got.sent)
	}
}

// broken reports whether an error says that the peer has gone.
func broken(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ENOTCONN) // of CloseWrite
}

// noise is data of a random length, which a mistake of order would change.
func noise(random *rand.Rand, most int) []byte {
	p := make([]byte, 10_000+random.IntN(most))
	for i := range p {
		p[i] = byte(random.Uint32())
	}
	return p
}
