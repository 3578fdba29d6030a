package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// number answers each line with its number. The state that a gnet handler keeps in the
// connection's context is in local variables here.
//
//movenext:async
func number(ctx context.Context, c *netio.Conn) error {
	defer func() { _ = c.Close() }()
	in := netio.NewBuffered(c)
	for n := 1; ; n++ {
		line, err := in.ReadLine(ctx, 1000)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := c.WriteAll(ctx, fmt.Appendf(nil, "%d %s\n", n, line)); err != nil {
			return err
		}
	}
}

// serve has a machine for each connection, until the listener is closed.
//
//movenext:async
func serve(ctx context.Context, l *netio.Listener) error {
	return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			s.Go(func(ctx context.Context) error {
				_ = number(ctx, c) // what fails is one connection, and not the server
				return nil
			})
		}
	})
}

// talk sends two lines, the second one in two pieces, and returns the answers.
func talk(ctx context.Context) (answers string, err error) {
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	served := serveAsync(ctx, l)
	c, err := netio.Dial(ctx, "tcp", l.Addr().String())
	if err != nil {
		return "", errors.Join(err, l.Close())
	}
	for _, piece := range []string{"tea\ncof", "fee\n"} {
		_, werr := c.Write([]byte(piece))
		err = errors.Join(err, werr)
	}
	err = errors.Join(err, c.CloseWrite())
	text, rerr := io.ReadAll(c)
	err = errors.Join(err, rerr, c.Close(), l.Close())
	<-served.Done()
	return string(text), err
}
