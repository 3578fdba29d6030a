package netio_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/netio"
)

// # A peer that misbehaves after the handshake
//
// The handshake is that of crypto/tls. Then the peer writes records of its own, with the keys that
// crypto/tls has logged: the types and messages that crypto/tls itself never sends.

// misbehaving is the server's side of a connection.
type misbehaving struct {
	raw     *recording
	version uint16
	secret  []byte // TLS 1.3
	aead    cipher.AEAD
	iv      []byte
	seq     uint64
}

// recording keeps what is written during the handshake, or instead of sending it.
type recording struct {
	*net.TCPConn
	on      bool
	held    bool
	written bytes.Buffer
}

func (r *recording) Write(p []byte) (int, error) {
	if r.on || r.held {
		r.written.Write(p)
	}
	if r.held {
		return len(p), nil
	}
	return r.TCPConn.Write(p)
}

const (
	changeCipherSpec, alertRecord, handshakeRecord, dataRecord = 20, 21, 22, 23

	suite12 = tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
)

// misbehave performs the handshake of that version on c, as a server.
func misbehave(c *net.TCPConn, version uint16) (*misbehaving, error) {
	s, _ := configs()
	s = s.Clone()
	var keys bytes.Buffer
	s.KeyLogWriter, s.MinVersion, s.MaxVersion = &keys, version, version
	s.CipherSuites, s.SessionTicketsDisabled = []uint16{suite12}, true
	p := &misbehaving{raw: &recording{TCPConn: c, on: true}, version: version}
	conn := tls.Server(p.raw, s)
	if err := conn.Handshake(); err != nil {
		return nil, err
	}
	p.raw.on = false
	logged := map[string][]string{}
	for line := range strings.Lines(keys.String()) {
		fields := strings.Fields(line)
		logged[fields[0]] = fields[1:]
	}
	if version == tls.VersionTLS13 {
		if conn.ConnectionState().CipherSuite != tls.TLS_AES_128_GCM_SHA256 {
			return nil, errors.ErrUnsupported
		}
		p.secret = unhex(logged["SERVER_TRAFFIC_SECRET_0"][1])
		p.deriveKeys()
		return p, nil
	}
	ours := p.raw.written.Bytes()[11:43] // behind two headers and the version
	master, theirs := unhex(logged["CLIENT_RANDOM"][1]), unhex(logged["CLIENT_RANDOM"][0])
	block := expand12(master, append(append([]byte("key expansion"), ours...), theirs...), 40)
	p.setKey(block[16:32], block[36:40])
	p.seq = 1 // after Finished
	return p, nil
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// expand12 is P_SHA256 of RFC 5246.
func expand12(secret, seed []byte, n int) (out []byte) {
	mac := func(p []byte) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write(p)
		return h.Sum(nil)
	}
	for a := mac(seed); len(out) < n; a = mac(a) {
		out = append(out, mac(append(bytes.Clone(a), seed...))...)
	}
	return out[:n]
}

// expandLabel is HKDF-Expand-Label of RFC 8446.
func expandLabel(secret []byte, label string, n int) []byte {
	info := append(binary.BigEndian.AppendUint16(nil, uint16(n)), byte(len("tls13 ")+len(label)))
	out, err := hkdf.Expand(sha256.New, secret, string(info)+"tls13 "+label+"\x00", n)
	if err != nil {
		panic(err)
	}
	return out
}

func (p *misbehaving) deriveKeys() {
	p.setKey(expandLabel(p.secret, "key", 16), expandLabel(p.secret, "iv", 12))
}

func (p *misbehaving) setKey(key, iv []byte) {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	if p.aead, err = cipher.NewGCM(block); err != nil {
		panic(err)
	}
	p.iv, p.seq = iv, 0
}

// record returns a sealed record.
func (p *misbehaving) record(kind byte, data []byte) []byte {
	var seq [8]byte
	binary.BigEndian.PutUint64(seq[:], p.seq)
	p.seq++
	if p.version == tls.VersionTLS12 {
		sealed := binary.BigEndian.AppendUint16([]byte{kind, 3, 3}, uint16(8+len(data)+16))
		sealed = append(sealed, seq[:]...) // the explicit part of the nonce
		about := binary.BigEndian.AppendUint16(append(bytes.Clone(seq[:]), kind, 3, 3), uint16(len(data)))
		return p.aead.Seal(sealed, append(bytes.Clone(p.iv), seq[:]...), data, about)
	}
	head := binary.BigEndian.AppendUint16([]byte{dataRecord, 3, 3}, uint16(len(data)+1+16))
	nonce := bytes.Clone(p.iv)
	for i, b := range seq {
		nonce[4+i] ^= b
	}
	return p.aead.Seal(bytes.Clone(head), nonce, append(bytes.Clone(data), kind), head)
}

func (p *misbehaving) send(kind byte, data ...byte) { _, _ = p.raw.Write(p.record(kind, data)) }

// updateKeys sends a KeyUpdate in pieces of that size. It demands one in return.
func (p *misbehaving) updateKeys(piece int) {
	for message := []byte{24, 0, 0, 1, 1}; len(message) > 0; message = message[min(piece, len(message)):] {
		p.send(handshakeRecord, message[:min(piece, len(message))]...)
	}
	p.secret = expandLabel(p.secret, "traffic upd", 32)
	p.deriveKeys()
}

// manners are the ways to misbehave, by the version that has them. Each ends by itself, or by the
// end of the peer's data.
var manners = []struct {
	name    string
	version uint16
	act     func(*misbehaving)
}{
	{"HelloRequest", tls.VersionTLS12, func(p *misbehaving) { p.send(handshakeRecord, 0, 0, 0, 0) }},
	{"HelloRequest in pieces, and data", tls.VersionTLS12, func(p *misbehaving) {
		p.send(handshakeRecord, 0, 0)
		p.send(dataRecord, 'x')
	}},
	{"a second ServerHello", tls.VersionTLS12, func(p *misbehaving) { p.send(handshakeRecord, 2, 0, 0, 0) }},
	{"Finished again, and data", tls.VersionTLS12, func(p *misbehaving) {
		p.send(handshakeRecord, 20, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		p.send(dataRecord, 'x')
	}},
	{"warnings", tls.VersionTLS12, func(p *misbehaving) {
		for range 100 {
			p.send(alertRecord, 1, 90)
		}
	}},
	{"an alert of no level", tls.VersionTLS12, func(p *misbehaving) { p.send(alertRecord, 7, 90) }},
	{"empty records", tls.VersionTLS12, func(p *misbehaving) {
		for range 100 {
			p.send(dataRecord)
		}
	}},
	{"ChangeCipherSpec", tls.VersionTLS12, func(p *misbehaving) { p.send(changeCipherSpec, 1) }},
	{"a record of no type", tls.VersionTLS12, func(p *misbehaving) { p.send(99, 1) }},
	{"a record that is too long", tls.VersionTLS12, func(p *misbehaving) { _, _ = p.raw.Write([]byte{23, 3, 3, 0xff, 0xff}) }},
	{"a forged record", tls.VersionTLS12, func(p *misbehaving) {
		r := p.record(dataRecord, []byte("x"))
		r[len(r)-1] ^= 1
		_, _ = p.raw.Write(r)
	}},
	{"KeyUpdates", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			p.updateKeys(5)
		}
	}},
	{"KeyUpdates between data", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			for range 15 {
				p.updateKeys(5)
			}
			p.send(dataRecord, 'x')
		}
	}},
	{"KeyUpdates byte by byte", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			p.updateKeys(1)
		}
	}},
	{"half a KeyUpdate, and data", tls.VersionTLS13, func(p *misbehaving) {
		p.send(handshakeRecord, 24, 0)
		p.send(dataRecord, 'x')
	}},
	{"a KeyUpdate of no kind", tls.VersionTLS13, func(p *misbehaving) { p.send(handshakeRecord, 24, 0, 0, 1, 7) }},
	{"tickets", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			p.send(handshakeRecord, 4, 0, 0, 14, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0)
		}
	}},
	{"a ticket that lives forever", tls.VersionTLS13, func(p *misbehaving) {
		p.send(handshakeRecord, 4, 0, 0, 14, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0)
		p.send(dataRecord, 'x')
	}},
	{"a request for a certificate, and data", tls.VersionTLS13, func(p *misbehaving) {
		p.send(handshakeRecord, 13, 0, 0, 3, 0, 0, 0)
		p.send(dataRecord, 'x')
	}},
	{"a message of 16 MB", tls.VersionTLS13, func(p *misbehaving) { p.send(handshakeRecord, 4, 255, 255, 255) }},
	{"user_canceled", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			p.send(alertRecord, 1, 90)
		}
	}},
	{"ChangeCipherSpec in clear", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			_, _ = p.raw.Write([]byte{changeCipherSpec, 3, 3, 0, 1, 1})
		}
	}},
	{"empty records", tls.VersionTLS13, func(p *misbehaving) {
		for range 100 {
			p.send(dataRecord)
		}
	}},
	{"data, and the end without an alert", tls.VersionTLS13, func(p *misbehaving) { p.send(dataRecord, 'x') }},
}

// against runs a client against a peer that performs the handshake, acts and ends its data.
func against(t *testing.T, version uint16, act func(*misbehaving), client func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	served := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer func() { _ = c.Close() }()
		p, err := misbehave(c.(*net.TCPConn), version)
		if err != nil {
			served <- err
			return
		}
		served <- nil
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, p.raw.TCPConn)
		}()
		act(p)
		_ = p.raw.CloseWrite()
		<-drained
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	client(c)
	if err := <-served; errors.Is(err, errors.ErrUnsupported) {
		t.Skip("crypto/tls prefers ChaCha20 on this system, and the standard library does not export it")
	} else {
		require.NoError(t, err)
	}
}

func clientConfig() *tls.Config {
	_, c := configs()
	c = c.Clone()
	c.CipherSuites = []uint16{suite12}
	return c
}

// readToTheEnd reads until an error, which it returns after having tried once more.
//
//movenext:async
func readToTheEnd(ctx context.Context, c *netio.TLSConn) (total int, first, again error) {
	p := make([]byte, 100)
	for {
		if err := c.Readable(ctx); err != nil {
			return total, err, nil
		}
		n, err := c.Read(p)
		total += n
		if err != nil {
			_, again = c.Read(p)
			return total, err, again
		}
	}
}

// TestTLSMisbehaviourEndsAsWithCryptoTLS has a reader meet each manner, in both forms. The bytes
// that arrive and the error are those of crypto/tls, and the error is that of each later read.
func TestTLSMisbehaviourEndsAsWithCryptoTLS(t *testing.T) {
	for _, m := range manners {
		t.Run(tls.VersionName(m.version)+" "+m.name, func(t *testing.T) {
			var want int64
			var failure error
			against(t, m.version, m.act, func(c net.Conn) {
				want, failure = io.Copy(io.Discard, tls.Client(c, clientConfig()))
			})
			text := "EOF"
			if failure != nil {
				text = failure.Error()
			}
			check := func(n int, first, again error) {
				assert.EqualValues(t, want, n)
				require.Error(t, first)
				assert.Equal(t, text, first.Error())
				assert.Equal(t, first, again)
			}
			against(t, m.version, m.act, func(nc net.Conn) {
				c, err := netio.Adopt(nc)
				require.NoError(t, err)
				client := netio.Client(c, clientConfig())
				defer func() { _ = client.Close() }()
				v, again := readToTheEndAsync(context.Background(), client).Await()
				check(v.V1, v.V2, again)
			})
			against(t, m.version, m.act, func(nc net.Conn) {
				c, err := netio.Adopt(nc)
				require.NoError(t, err)
				client := netio.Client(c, clientConfig())
				defer func() { _ = client.Close() }()
				check(readToTheEnd(context.Background(), client))
			})
		})
	}
}

// A client that would renegotiate is refused before it has sent a byte.
func TestTLSRenegotiationIsRefused(t *testing.T) {
	for _, often := range []tls.RenegotiationSupport{tls.RenegotiateOnceAsClient, tls.RenegotiateFreelyAsClient} {
		a, b := pipe(t, "tcp")
		config := clientConfig()
		config.Renegotiation = often
		client := netio.Client(a, config)
		require.ErrorIs(t, client.Handshake(context.Background()), errors.ErrUnsupported)
		_, err := client.ReadAsync(make([]byte, 1)).Await()
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = client.Write([]byte("x"))
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorIs(t, client.Readable(context.Background()), errors.ErrUnsupported)
		require.ErrorIs(t, client.CloseWrite(), errors.ErrUnsupported)
		require.NoError(t, client.Close())
		_, err = b.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
}

// A config that allows renegotiation later than Client has seen it makes crypto/tls keep the error
// of the wire. The read fails: it must not ask again and again.
func TestTLSAReadFailsIfCryptoTLSKeepsATemporaryError(t *testing.T) {
	var goOn atomic.Bool
	shaken := make(chan struct{})
	act := func(p *misbehaving) {
		<-shaken
		p.send(handshakeRecord, 0, 0, 0, 0)
		for !goOn.Load() {
			runtime.Gosched()
		}
		p.send(dataRecord, 'x')
	}
	against(t, tls.VersionTLS12, act, func(nc net.Conn) {
		c, err := netio.Adopt(nc)
		require.NoError(t, err)
		config := clientConfig()
		client := netio.Client(c, config)
		defer func() { _ = client.Close() }()
		config.Renegotiation = tls.RenegotiateFreelyAsClient
		require.NoError(t, client.Handshake(context.Background()))
		close(shaken)
		j := client.ReadAsync(make([]byte, 1))
		goOn.Store(true)
		_, err = j.Await()
		require.Error(t, err)
		_, again := client.Read(make([]byte, 1))
		assert.Equal(t, err, again)
	})
}

// A peer demands KeyUpdates and does not read them. The reader's context ends its wait, and the
// answers are sent later: the connection is as good as before.
func TestTLSAContextEndsAReaderWhoseAnswersFindNoRoom(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	read, over := make(chan struct{}), make(chan error, 1)
	go func() {
		nc, err := l.Accept()
		if err != nil {
			over <- err
			return
		}
		defer func() { _ = nc.Close() }()
		_ = nc.(*net.TCPConn).SetReadBuffer(1 << 10)
		p, err := misbehave(nc.(*net.TCPConn), tls.VersionTLS13)
		if err != nil {
			over <- err
			return
		}
		for range 1 << 7 { // each is answered by a record of 27 bytes
			for range 15 {
				p.updateKeys(5)
			}
			p.send(dataRecord, 'x')
		}
		_ = p.raw.CloseWrite()
		<-read
		_ = p.raw.SetReadBuffer(1 << 20) // a small one takes seconds: TCP delays the news that it has room
		_, err = io.Copy(io.Discard, p.raw.TCPConn)
		over <- err
	}()
	nc, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, nc.(*net.TCPConn).SetWriteBuffer(1<<10))
	c, err := netio.Adopt(nc)
	require.NoError(t, err)
	client := netio.Client(c, clientConfig())
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, client.Handshake(ctx))
	reading := readToTheEndAsync(ctx, client)
	behind := c.WriteAsync(nil)
	for behind.IsCompleted() { // until it has to wait, behind the answers
		runtime.Gosched()
		behind = c.WriteAsync(nil)
	}
	cancel()
	v, _ := reading.Await()
	require.ErrorIs(t, v.V2, context.Canceled)
	_, err = behind.Await()
	require.NoError(t, err)
	close(read)
	rest, err, _ := readToTheEnd(context.Background(), client)
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, 1<<7, v.V1+rest)
	require.NoError(t, client.Close())
	if err := <-over; errors.Is(err, errors.ErrUnsupported) {
		t.Skip("crypto/tls prefers ChaCha20 on this system, and the standard library does not export it")
	} else {
		require.NoError(t, err)
	}
}

// panicking is a cache of sessions whose Put panics.
type panicking struct{}

func (panicking) Get(string) (*tls.ClientSessionState, bool) { return nil, false }

func (panicking) Put(string, *tls.ClientSessionState) { panic("put") }

// A read takes what has arrived in several records. If a callback panics at one of them, the data
// before it are those of the next read.
func TestTLSDataBeforeACallbackThatPanicsAreNotLost(t *testing.T) {
	act := func(p *misbehaving) {
		p.raw.written.Reset()
		p.raw.held = true
		p.send(dataRecord, 'a')
		p.send(dataRecord, 'b')
		p.send(handshakeRecord, 4, 0, 0, 14, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0)
		p.send(dataRecord, 'c')
		_, _ = p.raw.TCPConn.Write(p.raw.written.Bytes())
	}
	for _, peeks := range []bool{false, true} {
		against(t, tls.VersionTLS13, act, func(nc net.Conn) {
			c, err := netio.Adopt(nc)
			require.NoError(t, err)
			config := clientConfig()
			config.ClientSessionCache = panicking{}
			client := netio.Client(c, config)
			defer func() { _ = client.Close() }()
			require.NoError(t, client.Handshake(t.Context()))
			if peeks {
				require.NoError(t, client.Readable(t.Context()))
			}
			p := make([]byte, 100)
			assert.PanicsWithValue(t, "put", func() { _, _ = client.Read(p) })
			n, err := client.Read(p)
			require.NoError(t, err)
			assert.Equal(t, "abc", string(p[:n]))
		})
	}
}

// FuzzTLSRecords has a peer send records that the input describes, after the handshake: two bytes
// for the type and the length, and the data. Records of one type more than there are are sent as
// they are, without a seal. The bytes that arrive and the error are those of crypto/tls.
func FuzzTLSRecords(f *testing.F) {
	f.Add([]byte{dataRecord, 1, 'x', alertRecord, 2, 1, 0}, false)
	f.Add([]byte{handshakeRecord, 5, 24, 0, 0, 1, 1, dataRecord, 1, 'x'}, false)
	f.Add([]byte{handshakeRecord, 4, 0, 0, 0, 0, dataRecord, 1, 'x'}, true)
	f.Add([]byte{dataRecord + 1, 5, dataRecord, 3, 3, 0, 1, 0}, true)
	f.Fuzz(func(t *testing.T, script []byte, older bool) {
		version := uint16(tls.VersionTLS13)
		if older {
			version = tls.VersionTLS12
		}
		act := func(p *misbehaving) {
			for rest := script; len(rest) >= 2; {
				kind, data := rest[0], rest[2:]
				data = data[:min(int(rest[1]), len(data))]
				rest = rest[2+len(data):]
				if kind == dataRecord+1 {
					_, _ = p.raw.Write(data)
				} else {
					p.send(kind, data...)
				}
			}
		}
		var want int64
		var failure error
		against(t, version, act, func(c net.Conn) { want, failure = io.Copy(io.Discard, tls.Client(c, clientConfig())) })
		against(t, version, act, func(nc net.Conn) {
			c, err := netio.Adopt(nc)
			require.NoError(t, err)
			client := netio.Client(c, clientConfig())
			defer func() { _ = client.Close() }()
			v, again := readToTheEndAsync(context.Background(), client).Await()
			assert.EqualValues(t, want, v.V1)
			if failure == nil {
				failure = io.EOF
			}
			assert.Equal(t, failure.Error(), v.V2.Error())
			assert.Equal(t, v.V2, again)
		})
	})
}
