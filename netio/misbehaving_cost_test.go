package netio_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/netio"
)

// # What a peer that only misbehaves costs
//
// The same bytes go to a connection of this package and to one of crypto/tls or net. The peer has
// made them before, and its part is the same in both.

// floods are the manners that go on for as long as the peer likes.
var floods = []struct {
	name    string
	version uint16 // 0: no TLS
	piece   int    // bytes that are sent at a time; 0: all
	act     func(*misbehaving)
}{
	{"KeyUpdates between data", tls.VersionTLS13, 0, func(p *misbehaving) { p.updateBetween(500, 5) }},
	{"KeyUpdates byte by byte", tls.VersionTLS13, 0, func(p *misbehaving) { p.updateBetween(100, 1) }},
	{"records of a byte", tls.VersionTLS13, 0, func(p *misbehaving) { p.repeat(10_000, dataRecord, 'x') }},
	{"records of a byte", tls.VersionTLS12, 0, func(p *misbehaving) { p.repeat(10_000, dataRecord, 'x') }},
	{"records in pieces", tls.VersionTLS13, 7, func(p *misbehaving) { p.repeat(500, dataRecord, 'x') }},
	{"a record in pieces", tls.VersionTLS12, 7, func(p *misbehaving) { p.send(dataRecord, make([]byte, 1<<14)...) }},
	{"a byte at a time", 0, 1, func(p *misbehaving) { p.raw.written.Write(make([]byte, 5_000)) }},
}

// flow is what arrives.
type flow struct{ bytes, reads int }

func (f *flow) add(n int) {
	f.bytes += n
	f.reads++
}

// A machine starts no more reads than a goroutine would, whatever the peer does, and not one for
// each record.
func TestAFloodOfRecordsTakesFewReads(t *testing.T) {
	for _, f := range floods {
		if f.version == 0 {
			continue // how many bytes arrive together is a matter of time
		}
		t.Run(tls.VersionName(f.version)+" "+f.name, func(t *testing.T) {
			none := func() int64 { return 0 }
			_, want := flooded(t, f.version, f.piece, f.act, none, floodedThere(t, f.version))
			_, got := flooded(t, f.version, f.piece, f.act, none, floodedHere(t, f.version))
			assert.Equal(t, want.bytes, got.bytes)
			assert.LessOrEqual(t, got.reads, want.reads)
			if f.name == "records of a byte" {
				assert.Less(t, got.reads, want.reads/5)
			}
		})
	}
}

// updateBetween sends data, and as many KeyUpdates before each as crypto/tls allows.
func (p *misbehaving) updateBetween(times, piece int) {
	for range times {
		for range 15 {
			p.updateKeys(piece)
		}
		p.send(dataRecord, 'x')
	}
}

func (p *misbehaving) repeat(times int, kind byte, data ...byte) {
	for range times {
		p.send(kind, data...)
	}
}

// flooded connects to a peer, and returns what a client used up from its handshake to the end of
// what the peer sends. usage is called before and after.
func flooded(tb testing.TB, version uint16, piece int, act func(*misbehaving), usage func() int64, dial func(net.Conn) (read func() flow)) (used int64, got flow) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	defer func() { _ = l.Close() }()
	ready, begin, ended := make(chan error, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		c, err := l.Accept()
		if err != nil {
			ready <- err
			return
		}
		p := &misbehaving{raw: &recording{TCPConn: c.(*net.TCPConn)}}
		if version != 0 {
			p, err = misbehave(c.(*net.TCPConn), version)
		}
		if err == nil {
			p.raw.written.Reset()
			p.raw.held = true
			act(p)
		}
		ready <- err
		<-begin
		flood(c, p.raw.written.Bytes(), piece)
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(tb, err)
	read := dial(c)
	if err := <-ready; errors.Is(err, errors.ErrUnsupported) {
		close(begin)
		tb.Skip("crypto/tls prefers ChaCha20 on this system, and the standard library does not export it")
	} else {
		require.NoError(tb, err)
	}
	runtime.GC()
	before := usage()
	close(begin)
	got = read()
	<-ended
	return usage() - before, got
}

// flood sends in pieces, and reads the answers until the other end closes.
func flood(c net.Conn, sent []byte, piece int) {
	defer func() { _ = c.Close() }()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, c)
	}()
	if piece == 0 {
		piece = len(sent)
	}
	for len(sent) > 0 {
		n := min(piece, len(sent))
		if _, err := c.Write(sent[:n]); err != nil {
			break
		}
		sent = sent[n:]
	}
	_ = c.(*net.TCPConn).CloseWrite()
	<-drained
}

// floodedThere is a client of crypto/tls or net.
func floodedThere(tb testing.TB, version uint16) func(net.Conn) func() flow {
	tb.Helper()
	return func(c net.Conn) func() flow {
		if version != 0 {
			client := tls.Client(c, clientConfig())
			require.NoError(tb, client.Handshake())
			c = client
		}
		return func() (got flow) {
			defer func() { _ = c.Close() }()
			for p := make([]byte, 100); ; {
				n, err := c.Read(p)
				got.add(n)
				if err != nil {
					return got
				}
			}
		}
	}
}

// floodedHere is a client of this package.
func floodedHere(tb testing.TB, version uint16) func(net.Conn) func() flow {
	tb.Helper()
	return func(nc net.Conn) func() flow {
		c, err := netio.Adopt(nc)
		require.NoError(tb, err)
		if version == 0 {
			return func() flow {
				defer func() { _ = c.Close() }()
				got, _ := readPlainAsync(c).Await()
				return got
			}
		}
		client := netio.Client(c, clientConfig())
		require.NoError(tb, client.Handshake(context.Background()))
		return func() flow {
			defer func() { _ = client.Close() }()
			got, _ := readSealedAsync(client).Await()
			return got
		}
	}
}

//movenext:async
func readPlain(c *netio.Conn) (got flow) {
	for p := make([]byte, 100); ; {
		n, err := c.Read(p)
		got.add(n)
		if err != nil {
			return got
		}
	}
}

//movenext:async
func readSealed(c *netio.TLSConn) (got flow) {
	for p := make([]byte, 100); ; {
		n, err := c.Read(p)
		got.add(n)
		if err != nil {
			return got
		}
	}
}
