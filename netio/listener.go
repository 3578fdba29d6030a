package netio

import (
	"context"
	"iter"
	"net"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

//go:generate go tool movenext .

// Listener accepts connections. [Listen] makes one. It must be closed. Its
// methods are safe for concurrent use.
type Listener struct{ socket *socket }

// Addr returns the address on which the listener listens.
func (l *Listener) Addr() net.Addr { return l.socket.LocalAddr() }

// Close ends the listener. Waits for a connection end with an error that matches
// [net.ErrClosed], and so does a second Close. Accepted connections stay open.
func (l *Listener) Close() error { return l.socket.close() }

// Accept waits for a connection. If the process has no descriptor left, it waits
// for one, and retries now and then. It blocks; its twin is
// [Listener.AcceptAsync].
func (l *Listener) Accept() (*Conn, error) {
	t := transfer{kind: accepting}
	l.socket.do(&t)
	return l.newConn(&t)
}

// AcceptAsync is [Listener.Accept] as a job. Dropping the job leaves its
// connection open.
func (l *Listener) AcceptAsync() *job.Job[*Conn] { return listenerAcceptAsync(l) }

// AcceptEnter is [Listener.Accept] as generated machines call it.
func (l *listener) AcceptEnter(r *statemachine.Run) (*statemachine.Waiting[*Conn], *Conn, error) {
	return l.acceptEnter(r, nil)
}

// listenerAccept is what AcceptAsync runs as a machine.
//
//movenext:async
func listenerAccept(l *Listener) (*Conn, error) { return l.Accept() }

// keptConns are connections that were accepted for a consumer that had left, the next one last.
type keptConns []*Conn

// take returns the next one, or nil.
func (k *keptConns) take() *Conn {
	last := len(*k) - 1
	if last < 0 {
		return nil
	}
	c := (*k)[last]
	(*k)[last] = nil
	*k = (*k)[:last]
	return c
}

// close closes all.
func (k keptConns) close() {
	for _, c := range k {
		_ = c.Close()
	}
}

// AcceptContext is [Listener.Accept] until ctx ends: then it returns the reason, and
// a connection that arrives later is for the next accept. A connection that was
// accepted while ctx ended is returned. It blocks; its twin is
// [Listener.AcceptContextAsync].
func (l *Listener) AcceptContext(ctx context.Context) (*Conn, error) {
	if ctx == nil || !ctxwatch.OriginOf(ctx).CanEnd() {
		return l.Accept()
	}
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	j := l.AcceptContextAsync(bounded)
	c, err := j.Wait(context.WithoutCancel(ctx))
	if err != nil && !j.IsCompleted() { // the worker must not be blocked
		cancel()
		if c, late := j.Wait(context.Background()); late == nil {
			return c, nil
		}
	}
	return c, err
}

// AcceptContextAsync is [Listener.AcceptContext] as a job. Dropping the job leaves its
// connection open.
func (l *Listener) AcceptContextAsync(ctx context.Context) *job.Job[*Conn] {
	return listenerAcceptContextAsync(ctx, l)
}

// AcceptContextEnter is [Listener.AcceptContext] as generated machines call it.
func (l *listener) AcceptContextEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[*Conn], *Conn, error) {
	if err := endReason(ctx); err != nil {
		return nil, nil, err
	}
	return l.acceptEnter(r, ctx)
}

// listenerAcceptContext is what AcceptContextAsync runs as a machine.
//
//movenext:async
func listenerAcceptContext(ctx context.Context, l *Listener) (*Conn, error) {
	return l.AcceptContext(ctx)
}

// All returns the accepted connections until the listener is closed, which ends
// the sequence. If ctx ends, or accepting fails, the last pair is a nil
// connection and that error. It blocks between connections; in a function marked
// //movenext:async a range over it suspends, since its twin is
// [Listener.AllAsync].
func (l *Listener) All(ctx context.Context) iter.Seq2[*Conn, error] { return listenerAll(ctx, l) }

// AllAsync is [Listener.All] as a stream. Each range accepts anew. A consumer that
// leaves the stream while it waits accepts nothing: the listener keeps a connection
// that comes too late for the next accept.
func (l *Listener) AllAsync(ctx context.Context) *job.Stream[*Conn] {
	return statemachine.TakesBack(listenerAllAsync(ctx, l), l.socket.keep)
}

// listenerAll is Listener.All. It is a function of its own because the frame of
// its machine would otherwise be an exported name.
//
//movenext:async
func listenerAll(ctx context.Context, l *Listener) iter.Seq2[*Conn, error] {
	return func(yield func(*Conn, error) bool) {
		for {
			c, err := l.AcceptContext(ctx)
			if isClosed(err) {
				return
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (l *Listener) acceptEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[*Conn], *Conn, error) {
	tr := transfer{kind: accepting}
	if o := l.socket.enter(r, ctx, &tr); o != nil {
		a := &acceptance{operation: o}
		a.handle.Init(a)
		return &a.handle, nil, nil
	}
	c, err := l.newConn(&tr)
	return nil, c, err
}

// acceptance is the accept of a machine, and its handle.
type acceptance struct {
	*operation
	handle statemachine.Waiting[*Conn]
}

// Results implements [statemachine.Outcome].
func (a *acceptance) Results(r *statemachine.Run) (*Conn, error) {
	l := &Listener{a.socket}
	tr := a.results(r)
	return l.newConn(&tr)
}

// NetListener returns the listener as a [net.Listener], for http.Server and
// others. The connections that it accepts are *Conn. The two are one listener:
// closing either closes both.
func (l *Listener) NetListener() net.Listener { return netListener{l} }

type netListener struct{ listener *Listener }

// Addr implements net.Listener.
func (l netListener) Addr() net.Addr { return l.listener.Addr() }

// Close implements net.Listener.
func (l netListener) Close() error { return l.listener.Close() }

// Accept implements net.Listener.
func (l netListener) Accept() (net.Conn, error) {
	c, err := l.listener.Accept()
	if err != nil {
		return nil, err // a nil *Conn would be a net.Conn that is not nil
	}
	return c, nil
}
