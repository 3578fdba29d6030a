package netio_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

func TestAdoptRefusesWhatHasNoDescriptor(t *testing.T) {
	a, b := net.Pipe()
	defer func() { _, _ = a.Close(), b.Close() }()
	c, _ := pipe(t, "tcp")
	for _, wrong := range []struct {
		nc   net.Conn
		mend string
	}{
		{a, "adopt the TCP or Unix connection beneath"},
		{tls.Client(a, &tls.Config{MinVersion: tls.VersionTLS13}), "Server or Client"},
		{nil, "it is nil"},
		{c, "use it as it is"},
		{struct{ net.Conn }{b}, "adopt the TCP or Unix connection beneath"},
	} {
		_, err := netio.Adopt(wrong.nc)
		require.ErrorIs(t, err, netio.ErrNotAdoptable)
		require.ErrorContains(t, err, wrong.mend)
	}
	go func() { _, _ = a.Write([]byte("x")) }()
	_, err := io.ReadFull(b, make([]byte, 1))
	require.NoError(t, err, "a refused connection is unchanged")
}

func TestAdoptOfAHijackedConnection(t *testing.T) {
	onProcs(t, func(t *testing.T) {
		served := make(chan *job.Job[int], 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			nc, rw, err := http.NewResponseController(w).Hijack()
			if !assert.NoError(t, err) {
				return
			}
			ahead, err := rw.Reader.Peek(rw.Reader.Buffered())
			assert.NoError(t, err)
			assert.NoError(t, nc.SetDeadline(time.Unix(1, 0))) // is not carried over
			c, err := netio.Adopt(nc, ahead...)
			if assert.NoError(t, err) {
				served <- echoAllAsync(context.Background(), c)
			}
		}))
		defer s.Close()
		nc, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		_, err = nc.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nahead "))
		require.NoError(t, err)
		j := <-served
		_, err = nc.Write([]byte("and after"))
		require.NoError(t, err)
		require.NoError(t, nc.(*net.TCPConn).CloseWrite())
		got, err := io.ReadAll(bufio.NewReader(nc))
		require.NoError(t, err)
		assert.Equal(t, "ahead and after", string(got))
		n, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, len(got), n)
		require.NoError(t, nc.Close())
	})
}

// echoAll answers until the peer has shut its side.
//
//movenext:async
func echoAll(ctx context.Context, c *netio.Conn) (int, error) {
	defer func() { _ = c.Close() }()
	total := 0
	for p := make([]byte, 8); ; {
		if err := c.Readable(ctx); err != nil {
			return total, err
		}
		n, err := c.Read(p)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		if _, err := c.Write(p[:n]); err != nil {
			return total, err
		}
		total += n
	}
}

func TestDataThatWasReadAheadCounts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	peer, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = peer.Close() }()
	nc, err := l.Accept()
	require.NoError(t, err)
	ahead := []byte("abcd")
	c, err := netio.Adopt(nc, ahead...)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	ahead[0] = 'x' // it was copied
	require.NoError(t, c.Readable(context.Background()))
	_, err = c.NetConn()
	require.ErrorContains(t, err, "read them before NetConn")

	require.NoError(t, c.SetReadDeadline(time.Unix(1, 0)))
	n, err := c.Read(make([]byte, 1))
	assert.Zero(t, n)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, c.SetReadDeadline(time.Time{}))

	_, err = peer.Write([]byte("ef"))
	require.NoError(t, err)
	var got [6]byte
	_, err = c.ReadFull(got[:])
	require.NoError(t, err)
	assert.Equal(t, "abcdef", string(got[:]))

	back, err := c.NetConn()
	require.NoError(t, err)
	_, err = c.Read(got[:])
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = peer.Write([]byte("gh"))
	require.NoError(t, err)
	_, err = io.ReadFull(back, got[:2])
	require.NoError(t, err)
	assert.Equal(t, "gh", string(got[:2]))
	again, err := netio.Adopt(back)
	require.NoError(t, err)
	require.NoError(t, again.Close())
	_, err = peer.Read(got[:])
	require.ErrorIs(t, err, io.EOF, "no descriptor of it is left")
}
