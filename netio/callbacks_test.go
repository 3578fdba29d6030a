package netio_test

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

var errOnPurpose = errors.New("on purpose")

// callback is a field of a tls.Config through which crypto/tls calls users' code during the
// handshake. One is missing: crypto/tls calls a KeyLogWriter under a lock of the process, and a
// panic leaves it locked.
type callback struct {
	name   string
	server bool // it is one of the server
	set    func(config *tls.Config, call func())
}

func callbacks() []callback {
	return []callback{
		{"GetConfigForClient", true, func(c *tls.Config, call func()) {
			c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { call(); return nil, nil }
		}},
		{"GetCertificate", true, func(c *tls.Config, call func()) {
			own := c.Certificates[0]
			c.Certificates = nil
			c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { call(); return &own, nil }
		}},
		{"PrivateKey", true, func(c *tls.Config, call func()) {
			own := c.Certificates[0]
			own.PrivateKey = signer{own.PrivateKey.(crypto.Signer), call}
			c.Certificates = []tls.Certificate{own}
		}},
		{"GetEncryptedClientHelloKeys", true, func(c *tls.Config, call func()) {
			c.GetEncryptedClientHelloKeys = func(*tls.ClientHelloInfo) ([]tls.EncryptedClientHelloKey, error) { call(); return nil, nil }
		}},
		{"VerifyPeerCertificate of a server", true, verifyPeer},
		{"VerifyConnection of a server", true, verifyConnection},
		{"GetClientCertificate", false, func(c *tls.Config, call func()) {
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { call(); return new(tls.Certificate), nil }
		}},
		{"Time", false, func(c *tls.Config, call func()) { c.Time = func() time.Time { call(); return time.Now() } }},
		{"VerifyConnection", false, verifyConnection},
		{"VerifyPeerCertificate", false, verifyPeer},
		{"ClientSessionCache.Get", false, func(c *tls.Config, call func()) { c.ClientSessionCache = sessionCache{get: call} }},
	}
}

func verifyPeer(c *tls.Config, call func()) {
	c.VerifyPeerCertificate = func([][]byte, [][]*x509.Certificate) error { call(); return nil } //nolint:gosec // it checks nothing
}

func verifyConnection(c *tls.Config, call func()) {
	c.VerifyConnection = func(tls.ConnectionState) error { call(); return nil }
}

type signer struct {
	crypto.Signer
	call func()
}

func (s signer) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	s.call()
	return s.Signer.Sign(rand, digest, opts)
}

// sessionCache remembers nothing.
type sessionCache struct{ get, put func() }

func (s sessionCache) Get(string) (*tls.ClientSessionState, bool) {
	if s.get != nil {
		s.get()
	}
	return nil, false
}

func (s sessionCache) Put(string, *tls.ClientSessionState) {
	if s.put != nil {
		s.put()
	}
}

// departures are the ways in which a callback does not return, with the error of its handshake.
var departures = []struct {
	name  string
	leave func()
	check func(t *testing.T, err error)
}{
	{"panic", func() { panic(errOnPurpose) }, func(t *testing.T, err error) {
		var p *job.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, errOnPurpose, p.Value)
		assert.Contains(t, string(p.Stack), "callbacks_test.go")
	}},
	{"Goexit", runtime.Goexit, func(t *testing.T, err error) { require.ErrorIs(t, err, job.ErrGoexit) }},
}

// The handshake fails, its waiters get the outcome, and the connection can be closed.
func TestTLSACallbackThatDoesNotReturnFailsTheHandshake(t *testing.T) {
	for _, c := range callbacks() {
		for _, d := range departures {
			t.Run(c.name+" "+d.name, func(t *testing.T) {
				onVersions(t, func(t *testing.T, version uint16) {
					if version == tls.VersionTLS12 && c.name == "GetEncryptedClientHelloKeys" {
						return // only TLS 1.3 has them
					}
					s, o := configs()
					s, o = s.Clone(), o.Clone()
					o.MaxVersion = version
					s.ClientAuth = tls.RequireAnyClientCert
					if c.name != "GetClientCertificate" {
						o.Certificates = s.Certificates
					}
					if c.server {
						c.set(s, d.leave)
					} else {
						c.set(o, d.leave)
					}
					a, b := pipe(t, "tcp")
					failing, peer := netio.Client(a, o), netio.Server(b, s)
					if c.server {
						failing, peer = peer, failing
					}
					theirs := peer.HandshakeAsync(context.Background())
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					_, err := failing.HandshakeAsync(ctx).Await()
					d.check(t, err)
					_, err = failing.ReadAsync(make([]byte, 1)).Await()
					d.check(t, err)
					_, err = failing.Write([]byte("x"))
					d.check(t, err)
					require.NoError(t, failing.Close())
					_, _ = theirs.Await() // its side may have ended before, as with crypto/tls
					_, err = peer.Read(make([]byte, 1))
					require.Error(t, err)
				})
			})
		}
	}
}

// A server calls WrapSession for a ticket, and UnwrapSession for one that comes back.
func TestTLSACallbackOfSessionsThatDoesNotReturnFailsTheHandshake(t *testing.T) {
	for _, d := range departures {
		for name, set := range map[string]func(*tls.Config){
			"WrapSession": func(c *tls.Config) {
				c.WrapSession = func(tls.ConnectionState, *tls.SessionState) ([]byte, error) { d.leave(); return nil, nil }
			},
			"UnwrapSession": func(c *tls.Config) {
				c.UnwrapSession = func([]byte, tls.ConnectionState) (*tls.SessionState, error) { d.leave(); return nil, nil }
			},
		} {
			t.Run(name+" "+d.name, func(t *testing.T) {
				onVersions(t, func(t *testing.T, version uint16) {
					s, o := configs()
					s, o = s.Clone(), o.Clone()
					o.MaxVersion = version
					o.ClientSessionCache = tls.NewLRUClientSessionCache(4)
					a, b := pipe(t, "tcp")
					client, server := netio.Client(a, o), netio.Server(b, s)
					served := echoTLSAsync(context.Background(), server)
					_, err := talkTLSAsync(context.Background(), client, []byte("x")).Await()
					require.NoError(t, err)
					_, err = served.Await()
					require.NoError(t, err)
					require.NoError(t, client.Close())

					set(s)
					a, b = pipe(t, "tcp")
					client, server = netio.Client(a, o), netio.Server(b, s)
					theirs := client.HandshakeAsync(context.Background())
					_, err = server.HandshakeAsync(context.Background()).Await()
					d.check(t, err)
					require.NoError(t, server.Close())
					_, _ = theirs.Await()
					require.NoError(t, client.Close())
				})
			})
		}
	}
}

// readOne waits for a byte and reads it.
//
//movenext:async
func readOne(ctx context.Context, c *netio.TLSConn) (byte, error) {
	p := make([]byte, 1)
	if err := c.Readable(ctx); err != nil {
		return 0, err
	}
	_, err := c.Read(p)
	return p[0], err
}

// A ticket arrives behind the handshake, so the cache is called within a read. The read ends as
// its callback does, and the next one continues: no lock is left behind.
func TestTLSACallbackThatDoesNotReturnEndsTheReadThatCallsIt(t *testing.T) {
	for _, d := range departures {
		t.Run(d.name, func(t *testing.T) {
			s, o := configs()
			o = o.Clone()
			left := false
			o.ClientSessionCache = sessionCache{put: func() {
				if !left {
					left = true
					d.leave()
				}
			}}
			a, b := pipe(t, "tcp")
			client, server := netio.Client(a, o), netio.Server(b, s)
			sent := server.WriteAsync([]byte("x"))
			_, err := readOneAsync(context.Background(), client).Await()
			d.check(t, err)
			_, err = sent.Await()
			require.NoError(t, err)
			got, err := readOneAsync(context.Background(), client).Await()
			require.NoError(t, err)
			assert.Equal(t, byte('x'), got)
			require.NoError(t, client.Close())
			require.NoError(t, server.Close())
		})
	}
}

// hostileContext panics where the dial asks it for a value.
type hostileContext struct{ context.Context }

func (hostileContext) Value(any) any { panic(errOnPurpose) }

func TestADialWhoseContextPanicsFails(t *testing.T) {
	l := listen(t, "tcp")
	_, err := netio.DialAsync(hostileContext{context.Background()}, "tcp", l.Addr().String()).Await()
	departures[0].check(t, err)
}
