package netio

import (
	"context"
	"errors"
	"net"
	"slices"
)

// tlsRead is TLSConn.Read.
//
//movenext:async
func tlsRead(c *TLSConn, p []byte) (int, error) {
	if err := c.Handshake(context.Background()); err != nil {
		return 0, err
	}
	if err := c.in.Lock(context.Background()); err != nil {
		return 0, err
	}
	defer c.in.Unlock()
	for {
		if err := answer(context.Background(), c); err != nil {
			return 0, err
		}
		n, err := c.take(p)
		if err != errNothingYet {
			return n, err
		}
		if c.wire.hasOutput() {
			continue
		}
		if err := c.wire.conn.Readable(context.Background()); err != nil {
			return 0, err
		}
	}
}

// tlsReadable is TLSConn.Readable.
//
//movenext:async
func tlsReadable(ctx context.Context, c *TLSConn) error {
	if err := c.Handshake(ctx); err != nil {
		return err
	}
	if err := c.in.Lock(ctx); err != nil {
		return err
	}
	defer c.in.Unlock()
	for {
		if err := answer(ctx, c); err != nil {
			return err
		}
		if err := c.peek(); err != errNothingYet {
			return err
		}
		if c.wire.hasOutput() {
			continue
		}
		if err := c.wire.conn.Readable(ctx); err != nil {
			return err
		}
	}
}

// answer sends the answers to the records that were read before. An error says that they are
// still to be sent: a reader whose peer reads no answers reads no more from it. If they cannot be
// sent at all, the next write says so, as in crypto/tls. Data that a reader has already do not
// wait for that: Readable has promised them, and Read has no context.
//
//movenext:async
func answer(ctx context.Context, c *TLSConn) error {
	if len(c.peeked) > 0 {
		return nil
	}
	if err := flushRecords(ctx, c); err != nil && c.wire.hasOutput() {
		return err
	}
	return nil
}

// take returns data that are available, or errNothingYet. The caller has the turn
// to read.
func (c *TLSConn) take(p []byte) (int, error) {
	if err := c.wire.conn.socket.check(reading); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	peeked := copy(p, c.peeked)
	if peeked == len(p) {
		c.peeked = c.peeked[peeked:]
		return peeked, nil
	}
	n, err := c.decrypt(p[peeked:])
	c.peeked = nil
	if n += peeked; n > 0 {
		return n, nil // decrypt returns an end or an error again
	}
	return 0, err
}

// decrypt reads what crypto/tls has, or returns errNothingYet. It keeps an end or an error, since
// crypto/tls returns some of them only once: the next read would wait for more.
//
// crypto/tls returns one record at a time. A peer that sends records of a byte would have a
// machine start a read for each, which takes several times as long as the record. So the rest of
// p gets what has already arrived in records behind the first.
func (c *TLSConn) decrypt(p []byte) (int, error) {
	if c.ended != nil {
		return 0, c.ended
	}
	n, err := c.decryptOnce(p)
	if n == 0 || n == len(p) || err != nil {
		return n, err
	}
	c.wire.shut = true
	ended := false
	defer func() {
		c.wire.shut = false
		if !ended { // a callback has panicked: these data are those of the next read
			c.peeked = append(slices.Clip(c.peeked), p[:n]...)
		}
	}()
	for n < len(p) && err == nil {
		var more int
		more, err = c.decryptOnce(p[n:])
		n += more
	}
	ended = true
	return n, err
}

// decryptOnce is one read of crypto/tls.
func (c *TLSConn) decryptOnce(p []byte) (int, error) {
	c.wire.asked = false
	n, err := c.tls.Read(p)
	if err == errNothingYet && !c.wire.asked {
		err = errKept
	}
	if err != errNothingYet && !isTimeout(err) {
		c.ended = err
	}
	return n, err
}

// errKept is the error of a read for which crypto/tls has not asked for data that it needs.
var errKept = errors.New("netio: crypto/tls no longer reads from its connection")

func isTimeout(err error) bool {
	failed, ok := err.(net.Error)
	return ok && failed.Timeout()
}

// peek reports that there is something to read by returning nil, and
// errNothingYet if there is not. An end or an error counts as something:
// decrypt returns it again.
func (c *TLSConn) peek() error {
	if err := c.wire.conn.socket.check(reading); err != nil {
		return err
	}
	if len(c.peeked) > 0 {
		return nil
	}
	one := make([]byte, 1)
	n, err := c.decrypt(one)
	if c.peeked = one[:n]; n == 0 && err == errNothingYet {
		return err
	}
	return nil
}

// maxPart is the number of bytes of a write that are encrypted before they are sent:
// a few records.
const maxPart = 1 << 16

// tlsWrite is TLSConn.WriteAll.
//
//movenext:async
func tlsWrite(ctx context.Context, c *TLSConn, p []byte) (int, error) {
	if err := c.Handshake(ctx); err != nil {
		return 0, err
	}
	if err := c.out.Lock(ctx); err != nil {
		return 0, err
	}
	defer c.out.Unlock()
	for done := 0; ; {
		if err := c.mayWrite(); err != nil {
			return done, err
		}
		n, err := c.tls.Write(p[done:min(len(p), done+maxPart)])
		if err != nil {
			return done, err
		}
		if err := sendRecords(ctx, c); err != nil {
			return done, err
		}
		if done += n; done == len(p) {
			return done, nil
		}
	}
}

// mayWrite returns why nothing can be written.
func (c *TLSConn) mayWrite() error {
	c.mu.Lock()
	broken := c.broken
	c.mu.Unlock()
	if broken != nil {
		return broken
	}
	return c.wire.conn.socket.check(writing)
}

// tlsCloseWrite is TLSConn.CloseWrite.
//
//movenext:async
func tlsCloseWrite(c *TLSConn) error {
	if err := c.Handshake(context.Background()); err != nil {
		return err
	}
	if err := c.out.Lock(context.Background()); err != nil {
		return err
	}
	defer c.out.Unlock()
	if err := c.tls.CloseWrite(); err != nil {
		return err
	}
	if err := sendRecords(context.Background(), c); err != nil {
		return err
	}
	return c.wire.conn.CloseWrite()
}

// flushRecords sends the records that crypto/tls has made while it was reading. A reader with
// nothing to send does not wait for writers. If ctx ends first, what was not sent is sent by the
// next flush or write: unlike the data of a write, no caller would send it again.
//
//movenext:async
func flushRecords(ctx context.Context, c *TLSConn) error {
	if !c.wire.hasOutput() {
		return nil
	}
	if err := c.out.Lock(ctx); err != nil {
		return err
	}
	defer c.out.Unlock()
	b := c.wire.take()
	if b == nil {
		return nil
	}
	n, err := c.wire.conn.WriteAll(ctx, *b)
	if err != nil && endReason(ctx) != nil {
		c.wire.putBack(b, n)
		return err
	}
	putOut(b)
	return c.breakWrites(err)
}

// sendRecords sends all of out, and breaks the connection if it cannot. Its caller has
// the turn to write.
//
//movenext:async
func sendRecords(ctx context.Context, c *TLSConn) error {
	b := c.wire.take()
	if b == nil {
		return nil
	}
	_, err := c.wire.conn.WriteAll(ctx, *b)
	putOut(b)
	return c.breakWrites(err)
}

// breakWrites makes all later writes fail if err is the error of a write, and returns err.
func (c *TLSConn) breakWrites(err error) error {
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.broken = err
	}
	return err
}
