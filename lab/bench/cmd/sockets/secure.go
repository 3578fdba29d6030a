//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"time"

	"github.com/movenext/movenext/netio"
)

// Servers with TLS that answer each message with as many bytes as its last byte says.

// certificate makes one for this run.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func serverConfig() (*tls.Config, error) {
	c, err := certificate()
	return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS13}, err
}

// secureGoroutines is the server as users usually write it.
func secureGoroutines() (string, error) {
	config, err := serverConfig()
	if err != nil {
		return "", err
	}
	l, err := tls.Listen("tcp", anyPort, config)
	if err != nil {
		return "", err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerBlocking(c)
		}
	}()
	return l.Addr().String(), nil
}

func answerBlocking(c net.Conn) {
	defer func() { _ = c.Close() }()
	p := make([]byte, bufferSize)
	for {
		n, err := c.Read(p)
		if err != nil {
			return
		}
		if p[n-1] != '.' { // the end of a message
			continue
		}
		if _, err := c.Write(p[:small]); err != nil {
			return
		}
	}
}

// secureMachines is the same server as machines.
func secureMachines() (string, error) {
	config, err := serverConfig()
	if err != nil {
		return "", err
	}
	l, err := netio.Listen("tcp", anyPort)
	if err != nil {
		return "", err
	}
	_ = acceptSecureAsync(context.Background(), l, config)
	return l.Addr().String(), nil
}

//movenext:async
func acceptSecure(ctx context.Context, l *netio.Listener, config *tls.Config) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		_ = answerAsync(ctx, netio.Server(c, config))
	}
}

//movenext:async
func answer(ctx context.Context, c *netio.TLSConn) error {
	defer func() { _ = c.Close() }()
	for {
		if err := c.Readable(ctx); err != nil {
			return err
		}
		p := buffers.Get().(*[bufferSize]byte)
		n, err := c.Read(p[:])
		if err == nil && p[n-1] == '.' {
			_, err = c.Write(p[:small])
		}
		buffers.Put(p)
		if err != nil {
			return err
		}
	}
}

// connectSecurely returns connections with TLS whose handshakes are over, and that have exchanged
// a message of size bytes.
func connectSecurely(address string, n, size int) (all []*tls.Conn, err error) {
	message := make([]byte, size)
	message[size-1] = '.'
	answer := make([]byte, small)
	config := &tls.Config{InsecureSkipVerify: true, ClientSessionCache: nil} //nolint:gosec // its certificate is of this run
	for i := range n {
		c, err := tls.Dial("tcp", address, config)
		if err != nil {
			return all, fmt.Errorf("connection %d: %w", i+1, err)
		}
		all = append(all, c)
		if _, err := c.Write(message); err != nil {
			return all, err
		}
		if _, err := io.ReadFull(c, answer); err != nil {
			return all, err
		}
	}
	return all, nil
}
