package netio_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// configs returns the configuration of a server, with a certificate made once,
// and of a client that trusts it.
var configs = sync.OnceValues(func() (server, client *tls.Config) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	server = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	client = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: "test"}
	return server, client
})

// secure returns both ends of a connection with TLS of that version.
func secure(t *testing.T, version uint16) (client, server *netio.TLSConn) {
	t.Helper()
	a, b := pipe(t, "tcp")
	s, c := configs()
	c = c.Clone()
	c.MaxVersion = version
	client, server = netio.Client(a, c), netio.Server(b, s)
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

func onVersions(t *testing.T, f func(t *testing.T, version uint16)) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) { f(t, version) })
	}
}

// echoTLS answers until the peer has sent its closing alert.
//
//movenext:async
func echoTLS(ctx context.Context, c *netio.TLSConn) (int, error) {
	defer func() { _ = c.Close() }()
	p := make([]byte, 1<<15)
	for total := 0; ; {
		if err := c.Readable(ctx); err != nil {
			return total, err
		}
		n, err := c.Read(p)
		if err == io.EOF {
			return total, c.CloseWrite()
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

// talkTLS sends all of it and reads it back.
//
//movenext:async
func talkTLS(ctx context.Context, c *netio.TLSConn, all []byte) ([]byte, error) {
	if err := c.Handshake(ctx); err != nil {
		return nil, err
	}
	back := make([]byte, len(all))
	for at := 0; at < len(all); {
		size := min(1<<14, len(all)-at)
		if _, err := c.Write(all[at : at+size]); err != nil {
			return nil, err
		}
		for end := at + size; at < end; {
			n, err := c.Read(back[at:end])
			if err != nil {
				return nil, err
			}
			at += n
		}
	}
	return back, c.CloseWrite()
}

func TestTLSBetweenTwoMachines(t *testing.T) {
	onVersions(t, func(t *testing.T, version uint16) {
		onProcs(t, func(t *testing.T) {
			client, server := secure(t, version)
			served := echoTLSAsync(context.Background(), server)
			all := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
			back, err := talkTLSAsync(context.Background(), client, all).Await()
			require.NoError(t, err)
			assert.True(t, bytes.Equal(all, back))
			n, err := served.Await()
			require.NoError(t, err)
			assert.Equal(t, len(all), n)
			assert.Equal(t, version, client.ConnectionState().Version)
		})
	})
}

func TestTLSPlain(t *testing.T) {
	onVersions(t, func(t *testing.T, version uint16) {
		client, server := secure(t, version)
		done := make(chan error, 1)
		go func() {
			_, err := echoTLS(context.Background(), server)
			done <- err
		}()
		back, err := talkTLS(context.Background(), client, []byte("hello"))
		require.NoError(t, err)
		assert.Equal(t, "hello", string(back))
		require.NoError(t, <-done)
	})
}

// TestTLSByteByByte delivers each byte on its own, from Go's own client: reads
// end in the middle of a record many times. It fails if crypto/tls no longer
// continues after a temporary error.
func TestTLSByteByByte(t *testing.T) {
	onVersions(t, func(t *testing.T, version uint16) {
		s, c := configs()
		c = c.Clone()
		c.MaxVersion = version
		a, b := pipe(t, "tcp")
		inner, outer := net.Pipe()
		var proxy sync.WaitGroup
		proxy.Go(func() { _, _ = io.Copy(byBytes{a}, outer); _ = a.CloseWrite() })
		proxy.Go(func() { _, _ = io.Copy(outer, a) })
		server := netio.Server(b, s)
		served := echoTLSAsync(context.Background(), server)
		client := tls.Client(inner, c)
		for _, word := range []string{"hello", "and", "good bye"} {
			_, err := client.Write([]byte(word))
			require.NoError(t, err)
			back := make([]byte, len(word))
			_, err = io.ReadFull(client, back)
			require.NoError(t, err)
			assert.Equal(t, word, string(back))
		}
		require.NoError(t, client.CloseWrite())
		_, err := client.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "close_notify has come back")
		n, err := served.Await()
		require.NoError(t, err)
		assert.Equal(t, len("helloandgood bye"), n)
		_, _ = client.Close(), outer.Close()
		proxy.Wait()
	})
}

// byBytes writes each byte on its own.
type byBytes struct{ to io.Writer }

func (b byBytes) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := b.to.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

func TestTLSSessionsResumeWithTheirTickets(t *testing.T) {
	s, c := configs()
	c = c.Clone()
	c.ClientSessionCache = tls.NewLRUClientSessionCache(4)
	for i := range 2 {
		a, b := pipe(t, "tcp")
		client, server := netio.Client(a, c), netio.Server(b, s)
		served := echoTLSAsync(context.Background(), server)
		_, err := talkTLSAsync(context.Background(), client, []byte("x")).Await() // and the ticket
		require.NoError(t, err)
		assert.Equal(t, i == 1, client.ConnectionState().DidResume)
		_, err = served.Await()
		require.NoError(t, err)
		require.NoError(t, client.Close())
	}
}

func TestTLSDeadlinesAndClose(t *testing.T) {
	client, server := secure(t, tls.VersionTLS13)
	shaken := server.HandshakeAsync(context.Background())
	require.NoError(t, client.Handshake(context.Background()))
	_, err := shaken.Await()
	require.NoError(t, err)

	waits := server.ReadAsync(make([]byte, 1))
	require.NoError(t, server.SetReadDeadline(past))
	_, err = waits.Await()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, ok := err.(net.Error)
	assert.True(t, ok)
	require.ErrorIs(t, server.Readable(context.Background()), os.ErrDeadlineExceeded)
	require.NoError(t, server.SetReadDeadline(time.Time{}))

	_, err = client.Write([]byte("data"))
	require.NoError(t, err)
	require.NoError(t, server.Readable(context.Background()))
	require.NoError(t, server.SetReadDeadline(past))
	n, err := server.Read(make([]byte, 8))
	assert.Zero(t, n, "though it was decrypted")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, server.SetReadDeadline(time.Time{}))
	got := make([]byte, 8)
	n, err = server.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "data", string(got[:n]), "in one piece")

	ctx, cancel := context.WithCancel(context.Background())
	look := server.ReadableAsync(ctx)
	cancel()
	_, err = look.Await()
	require.ErrorIs(t, err, context.Canceled)

	waits = server.ReadAsync(got)
	require.NoError(t, server.Close())
	_, err = waits.Await()
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, server.Close(), net.ErrClosed)
	_, err = client.Read(got)
	require.ErrorIs(t, err, io.EOF, "the closing alert was sent")
}

// TestTLSAPeerThatDoesNotRead ends a write by its deadline. In the middle of a record that is the
// end of all writes. A deadline that comes between two records tears none: then it is tried again.
func TestTLSAPeerThatDoesNotRead(t *testing.T) {
	for range 1000 {
		client, server := secure(t, tls.VersionTLS13)
		shaken := server.HandshakeAsync(context.Background())
		require.NoError(t, client.Handshake(context.Background()))
		_, err := shaken.Await()
		require.NoError(t, err)
		j := server.WriteAsync(make([]byte, 1<<24))
		require.NoError(t, client.Readable(context.Background()), "it has begun")
		require.NoError(t, server.SetWriteDeadline(past))
		n, err := j.Await()
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Less(t, n, 1<<24)
		require.NoError(t, server.SetWriteDeadline(time.Time{}))
		var reader sync.WaitGroup
		reader.Go(func() { _, _ = io.Copy(io.Discard, client) })
		_, err = server.Write([]byte("x"))
		_ = server.Close()
		reader.Wait()
		if err != nil {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded, "a record is torn: nothing can follow it")
			return
		}
	}
	t.Fatal("no write was refused after a torn record")
}

func TestTLSAHandshakeThatFails(t *testing.T) {
	_, c := configs()
	a, b := pipe(t, "tcp")
	client := netio.Client(a, c)
	j := talkTLSAsync(context.Background(), client, []byte("x"))
	_, err := b.Write([]byte("this is not TLS"))
	require.NoError(t, err)
	_, err = j.Await()
	var record tls.RecordHeaderError
	require.ErrorAs(t, err, &record)
	_, err = client.Write([]byte("x"))
	require.ErrorAs(t, err, &record)
	require.NoError(t, client.Close())

	a, _ = pipe(t, "tcp")
	client = netio.Client(a, c)
	ctx, cancel := context.WithCancel(context.Background())
	shaken := client.HandshakeAsync(ctx)
	cancel()
	_, err = shaken.Await()
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, job.Canceled, shaken.Status())
}

// A read has begun the handshake, and the peer is silent. The context of another call bounds
// that call's wait, and leaves the handshake alone.
func TestTLSAContextBoundsTheWaitForAHandshakeOfAnotherCall(t *testing.T) {
	s, c := configs()
	a, b := pipe(t, "tcp")
	client, server := netio.Client(a, c), netio.Server(b, s)
	read := client.ReadAsync(make([]byte, 1))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, client.Readable(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, client.Handshake(ctx), context.DeadlineExceeded)
	_, err := client.WriteAll(ctx, []byte("x"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	j := client.ReadableAsync(ctx)
	_, err = j.Await()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, job.Canceled, j.Status())
	assert.False(t, read.IsCompleted())

	_, err = server.Write([]byte("y"))
	require.NoError(t, err)
	n, err := read.Await()
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	require.NoError(t, client.Close())
	require.NoError(t, server.Close())
}
