package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/netio"
)

//go:generate go tool movenext .

// Limits of a connection.
const (
	maxMessage = 64 << 10         // bytes of a message, all of its fragments together
	maxQueued  = 64               // frames that wait for a slow peer,
	maxHeld    = 1 << 20          // and their bytes; see sendBytes
	maxJoined  = 16 << 10         // bytes of short frames that are written together
	writeTime  = 20 * time.Second // for what is queued at a time
	lingerTime = time.Second      // for the peer's close frame
)

// socket is one end of a WebSocket (RFC 6455): frames over a connection of package netio.
// The frames themselves are those of github.com/gobwas/ws.
//
// One machine reads. It holds no buffer while the peer is silent. Frames to write go into
// a queue, and a machine that writes exists only while the queue is not empty. So an idle
// connection is this object, and one suspended machine.
type socket struct {
	conn    netio.AsyncConn
	in      *netio.Buffered
	silence time.Duration // after that the peer gets a ping

	// State of the reading machine: whose frames it reads, and the message of which fragments have
	// arrived.
	state   ws.State
	op      ws.OpCode
	partial []byte

	drained coord.ManualResetEvent // the last frame is written, or never will be

	mu      sync.Mutex // guards the fields below, for a few instructions at a time
	queue   [][]byte
	held    int // bytes of the frames that are queued or being written
	leaving int // of those, the bytes that are being written
	writing bool
	closing bool // a close frame has been queued, and nothing may follow it
}

// closeError ends a connection, with the code and the reason for the peer.
type closeError struct {
	code   ws.StatusCode
	reason string
}

func (e *closeError) Error() string { return fmt.Sprintf("chat: %d %s", e.code, e.reason) }

// errSilent is the error of a peer that does not even answer a ping.
var errSilent = errors.New("chat: the peer is silent")

// newSocket returns the socket of a connection whose handshake is over. side says which end
// it is.
func newSocket(c netio.AsyncConn, side ws.State, silence time.Duration, ahead ...byte) *socket {
	return &socket{conn: c, in: netio.NewBuffered(c, ahead...), silence: silence, state: side}
}

// readMessage returns the next message. It answers pings, and it puts fragments together. Its
// error is a *closeError if the peer has closed the connection or has broken a rule. A peer that
// is silent for long gets one ping.
//
// It waits here and not further down: a machine that waits keeps a frame for each function
// between the loop and the socket.
//
//movenext:async
func (s *socket) readMessage(ctx context.Context) (op ws.OpCode, message []byte, err error) {
	for asked := false; ; {
		err := s.conn.SetReadDeadline(time.Now().Add(s.silence))
		if err == nil {
			err = s.in.Readable(ctx)
		}
		if e, ok := err.(net.Error); ok && e.Timeout() {
			if asked {
				return 0, nil, errSilent
			}
			asked = true
			s.send(ctx, ws.NewPingFrame(nil))
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		asked = false
		message, complete, err := s.readFrame(ctx)
		if complete || err != nil {
			return s.op, message, err
		}
	}
}

// readFrame reads a frame, and returns a message if the frame completes one. The whole frame has
// to arrive within the time that the peer may be silent, so a peer that sends a byte a second does
// not hold a buffer forever.
//
//movenext:async
func (s *socket) readFrame(ctx context.Context) (message []byte, complete bool, err error) {
	if err := s.conn.SetReadDeadline(time.Now().Add(s.silence)); err != nil {
		return nil, false, err
	}
	h, err := s.readHeader(ctx)
	if err != nil {
		return nil, false, err
	}
	p, err := s.readPayload(h)
	if err != nil {
		return nil, false, err
	}
	if h.OpCode.IsControl() {
		return nil, false, s.handleControl(ctx, h.OpCode, p)
	}
	return s.collect(h, p)
}

// readHeader reads the header of a frame and checks it.
//
//movenext:async
func (s *socket) readHeader(ctx context.Context) (ws.Header, error) {
	p, err := s.in.Peek(ctx, 2)
	if err != nil {
		return ws.Header{}, err
	}
	size := headerSize(p[1])
	if p, err = s.in.Peek(ctx, size); err != nil {
		return ws.Header{}, err
	}
	h, err := ws.ReadHeader(bytes.NewReader(p))
	if err != nil {
		return h, &closeError{ws.StatusProtocolError, err.Error()}
	}
	if _, err := s.in.Read(make([]byte, size)); err != nil { // seen by Peek, so it does not wait
		return h, err
	}
	if err := ws.CheckHeader(h, s.state); err != nil {
		return h, &closeError{ws.StatusProtocolError, err.Error()}
	}
	if h.Length > maxMessage {
		return h, &closeError{ws.StatusMessageTooBig, "the message is too long"}
	}
	return h, nil
}

// headerSize returns the size of a frame's header by its second byte.
func headerSize(b byte) int {
	size := 2
	switch b & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if b&0x80 != 0 {
		size += 4 // the mask
	}
	return size
}

// readPayload reads the payload of a frame.
//
//movenext:async
func (s *socket) readPayload(h ws.Header) ([]byte, error) {
	p := make([]byte, h.Length)
	for n := 0; n < len(p); {
		got, err := s.in.Read(p[n:])
		n += got
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && n < len(p) {
			return nil, err
		}
	}
	if h.Masked {
		ws.Cipher(p, h.Mask, 0)
	}
	return p, nil
}

// handleControl answers a control frame.
func (s *socket) handleControl(ctx context.Context, op ws.OpCode, p []byte) error {
	switch op {
	case ws.OpPing:
		s.send(ctx, ws.NewPongFrame(p))
	case ws.OpClose:
		return parseClose(p)
	}
	return nil
}

// parseClose returns what a close frame says. A frame that breaks a rule is answered with
// that rule.
func parseClose(p []byte) *closeError {
	if len(p) == 0 {
		return &closeError{ws.StatusNormalClosure, ""}
	}
	if len(p) == 1 {
		return &closeError{ws.StatusProtocolError, "a status has two bytes"}
	}
	code, reason := ws.ParseCloseFrameData(p)
	if err := ws.CheckCloseFrameData(code, reason); err != nil {
		return &closeError{ws.StatusProtocolError, err.Error()}
	}
	return &closeError{code, reason}
}

// collect adds a frame to its message, and returns that if it is complete.
func (s *socket) collect(h ws.Header, p []byte) (message []byte, complete bool, err error) {
	if h.OpCode != ws.OpContinuation {
		s.op = h.OpCode
	}
	if len(s.partial)+len(p) > maxMessage {
		return nil, false, &closeError{ws.StatusMessageTooBig, "the message is too long"}
	}
	if !h.Fin {
		s.state = s.state.Set(ws.StateFragmented)
		s.partial = append(s.partial, p...)
		return nil, false, nil
	}
	if s.partial != nil {
		p = append(s.partial, p...)
	}
	s.state = s.state.Clear(ws.StateFragmented)
	s.partial = nil
	if s.op == ws.OpText && !utf8.Valid(p) {
		return nil, false, &closeError{ws.StatusInvalidFramePayloadData, "the text is not UTF-8"}
	}
	return p, true, nil
}

// send queues a frame; see sendBytes.
func (s *socket) send(ctx context.Context, f ws.Frame) {
	if s.state.ClientSide() {
		f = ws.MaskFrame(f)
	}
	p, err := ws.CompileFrame(f)
	if err == nil {
		s.sendBytes(ctx, p, f.Header.OpCode == ws.OpClose)
	}
}

// sendBytes queues a frame, which may be shared with other sockets. A peer that does not take
// its queued frames is dropped: waiting for it would delay all others. The queue is bounded in
// bytes: a number of frames alone says nothing about memory. Nothing follows the last frame.
//
// Two of the longest frames fit, and short ones beside them. It is tempting to allow fewer bytes,
// or one frame of any length: then a peer that reads is dropped by what follows a long message,
// which counts until it has been written. JSON needs six bytes for some of one.
func (s *socket) sendBytes(ctx context.Context, frame []byte, last bool) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	if len(s.queue) == maxQueued || s.held+len(frame) > maxHeld {
		s.mu.Unlock()
		_ = s.conn.Close() // which ends the machine that reads, and the one that writes
		return
	}
	s.queue = append(s.queue, frame)
	s.held += len(frame)
	s.closing = last
	begin := !s.writing
	s.writing = true
	s.mu.Unlock()
	if begin {
		_ = s.flushAsync(ctx) // ends when the queue is empty
	}
}

// flush writes the queued frames until the queue is empty. Short frames that are queued together
// are written together.
//
//movenext:async
func (s *socket) flush(ctx context.Context) {
	for {
		p := s.take()
		if p == nil {
			return
		}
		_ = s.conn.SetWriteDeadline(time.Now().Add(writeTime)) // fails only if the write does
		if _, err := s.conn.WriteAll(ctx, p); err != nil {
			_ = s.conn.Close()
			s.giveUp()
			return
		}
	}
}

// take returns the next frames after the previous ones have been written, or nil: then the machine
// that writes ends. A frame is shared with the other members of a room, so joining long ones would
// make a copy for each.
func (s *socket) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= s.leaving
	s.leaving = 0
	if len(s.queue) == 0 {
		s.writing, s.queue = false, nil
		if s.closing {
			s.drained.Set()
		}
		return nil
	}
	p, n := s.queue[0], 1 // shared: it is only read
	for size := len(p); n < len(s.queue) && size+len(s.queue[n]) <= maxJoined; n++ {
		size += len(s.queue[n])
	}
	if n > 1 {
		p = bytes.Join(s.queue[:n], nil)
	}
	s.queue = slices.Delete(s.queue, 0, n) // which clears the rest
	s.leaving = len(p)
	return p
}

// giveUp drops the queued frames.
func (s *socket) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.held, s.writing, s.closing = nil, 0, false, true
	s.drained.Set()
}

// end says goodbye, with the code of err if it has one, and closes the connection.
//
//movenext:async
func (s *socket) end(ctx context.Context, err error) {
	if e, ok := errors.AsType[*closeError](err); ok {
		s.send(ctx, ws.NewCloseFrame(ws.NewCloseFrameBody(e.code, e.reason)))
		_ = s.drained.Wait(ctx) // bounded by writeTime
		s.linger()
	}
	_ = s.conn.Close()
}

// linger reads the peer's remaining data for a moment. A connection that is closed with unread
// data is reset, and the peer may never see the goodbye.
//
//movenext:async
func (s *socket) linger() {
	if s.conn.CloseWrite() != nil || s.conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	for rest, p := maxMessage, make([]byte, 512); rest > 0; {
		n, err := s.in.Read(p)
		if err != nil {
			return
		}
		rest -= n
	}
}
