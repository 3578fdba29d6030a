// A proxy for TCP: two machines for each client, no goroutine and no buffer while nothing
// is sent.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// proxy connects each client to a backend of its own.
type proxy struct {
	backend  string
	patience time.Duration                    // for the backend to accept
	failed   func(client net.Addr, why error) // of one client; the others continue
}

// serve accepts clients until ctx ends, and returns when the last is gone.
//
//movenext:async
func (p *proxy) serve(ctx context.Context, l *netio.Listener) error {
	return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for client, err := range l.All(ctx) {
			if err != nil {
				return err
			}
			s.Go(func(ctx context.Context) error {
				if err := p.connect(ctx, client); err != nil {
					p.failed(client.RemoteAddr(), err)
				}
				return nil
			})
		}
		return nil
	})
}

// connect serves one client. If one direction fails, the scope ends the other.
//
//movenext:async
func (p *proxy) connect(ctx context.Context, client *netio.Conn) error {
	defer func() { _ = client.Close() }()
	soon, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	backend, err := netio.Dial(soon, "tcp", p.backend)
	if err != nil {
		return err
	}
	defer func() { _ = backend.Close() }()
	return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		s.Go(func(ctx context.Context) error { return pour(ctx, backend, client) })
		return pour(ctx, client, backend)
	})
}

// pour copies one direction. It passes the end on as the end of that direction only: the other
// side may have more to send.
//
//movenext:async
func pour(ctx context.Context, dst, src *netio.Conn) error {
	if _, err := netio.Copy(ctx, dst, src); err != nil {
		return err
	}
	return dst.CloseWrite()
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go shout(backend)
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	failed := job.NewSource[error]()
	p := &proxy{backend.Addr().String(), time.Second, func(_ net.Addr, why error) { failed.TrySetResult(why) }}
	served := p.serveAsync(ctx, l)

	fmt.Println(ask(l.Addr(), "through the proxy"))
	_ = backend.Close()
	_, err = ask(l.Addr(), "is anybody there?")
	fmt.Println("the client is told:", err != nil)
	why, _ := failed.Job().Await()
	fmt.Println("the log:", strings.Contains(why.Error(), "refused"))
	stop()
	_, err = served.Await()
	fmt.Println("stopped:", errors.Is(err, context.Canceled))
	_ = l.Close()
}

// ask sends a question to its end, and then reads the whole answer.
func ask(at net.Addr, question string) (string, error) {
	c, err := net.Dial("tcp", at.String())
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, question); err != nil {
		return "", err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(c)
	if err == nil && len(answer) == 0 {
		err = io.ErrUnexpectedEOF
	}
	return string(answer), err
}

// shout is a backend that answers when it has read the whole question.
func shout(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		question, _ := io.ReadAll(c)
		_, _ = io.WriteString(c, strings.ToUpper(string(question)))
		_ = c.Close()
	}
}
