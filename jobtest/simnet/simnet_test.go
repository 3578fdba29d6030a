package simnet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/nettest"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/jobtest/simnet"
	"github.com/movenext/movenext/netio"
)

//go:generate go tool movenext .

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Functions of package netio accept these connections.
var (
	_ netio.AsyncConn = (*simnet.Conn)(nil)
	_ net.Conn        = (*simnet.Conn)(nil)
)

// machines is a connection whose reads and writes are machines.
type machines struct {
	net.Conn
	conn *simnet.Conn
}

func (c machines) Read(p []byte) (int, error)  { return c.conn.ReadAsync(p).Await() }
func (c machines) Write(p []byte) (int, error) { return c.conn.WriteAsync(p).Await() }

// ends returns both ends of a connection.
func ends(ctx context.Context, opts ...simnet.Option) (client, server *simnet.Conn, err error) {
	n := simnet.New(ctx, opts...)
	l, err := n.Listen("server")
	if err != nil {
		return nil, nil, err
	}
	if client, err = n.Dial(ctx, "server"); err != nil {
		return nil, nil, err
	}
	server, err = l.Accept()
	return client, server, errors.Join(err, l.Close())
}

// TestConnAsPackageNetHasIt is Go's own conformance suite, on the real clock.
func TestConnAsPackageNetHasIt(t *testing.T) {
	for name, opts := range map[string][]simnet.Option{
		"plain":   nil,
		"latency": {simnet.Latency(time.Microsecond, 100*time.Microsecond)},
		"short":   {simnet.Short(), simnet.Buffer(1000)},
	} {
		for form, as := range map[string]func(*simnet.Conn) net.Conn{
			"goroutines": func(c *simnet.Conn) net.Conn { return c },
			"machines":   func(c *simnet.Conn) net.Conn { return machines{c, c} },
		} {
			t.Run(name+" "+form, func(t *testing.T) {
				nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
					a, b, err := ends(context.Background(), opts...)
					return as(a), as(b), func() { _, _ = a.Close(), b.Close() }, err
				})
			})
		}
	}
}

// greet is a server that takes the data of one read for a whole message.
//
//movenext:async
func greet(c io.ReadWriter, whole bool) error {
	p := make([]byte, 3)
	n := 0
	for {
		m, err := readSome(c, p[n:])
		n += m
		if err != nil {
			return err
		}
		if !whole || n == len(p) {
			break
		}
	}
	_, err := writeAll(c, []byte("hello "+string(p[:n])))
	return err
}

//movenext:async
func readSome(c io.ReadWriter, p []byte) (int, error) { return c.(*simnet.Conn).Read(p) }

//movenext:async
func writeAll(c io.ReadWriter, p []byte) (int, error) { return c.(*simnet.Conn).Write(p) }

// asks is a client of greet.
//
//movenext:async
func asks(c *simnet.Conn) (string, error) {
	if _, err := c.Write([]byte("Ann")); err != nil {
		return "", err
	}
	if err := c.CloseWrite(); err != nil {
		return "", err
	}
	var all []byte
	p := make([]byte, 100)
	for {
		n, err := c.Read(p)
		all = append(all, p[:n]...)
		if err == io.EOF {
			return string(all), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// conversation runs both sides.
//
//movenext:async
func conversation(ctx context.Context, whole bool) (answer string, err error) {
	n := simnet.New(ctx, simnet.Latency(time.Millisecond, 10*time.Millisecond), simnet.Short())
	l, err := n.Listen("server")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	served := job.Go(ctx, func(ctx context.Context) error {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		return greet(c, whole)
	})
	c, err := n.Dial(ctx, "server")
	if err != nil {
		_ = l.Close()
		_, _ = served.Await()
		return "", err
	}
	defer func() { _ = c.Close() }()
	answer, err = asks(c)
	_, failed := served.Await()
	return answer, errors.Join(err, failed)
}

// found explores a program, and returns its failure.
func found(t *testing.T, program func(ctx context.Context) error, opts ...jobtest.Option) string {
	w := &witness{TB: t}
	jobtest.Explore(w, program, opts...)
	return strings.Join(w.failures, "\n")
}

// witness is a test that records its failures.
type witness struct {
	testing.TB
	failures []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}
func (w *witness) Error(args ...any) { w.failures = append(w.failures, fmt.Sprint(args...)) }
func (w *witness) Helper()           {}

func TestAShortReadIsFound(t *testing.T) {
	program := func(whole bool) func(context.Context) error {
		return func(ctx context.Context) error {
			answer, err := conversationAsync(ctx, whole).Wait(ctx)
			if err == nil && answer != "hello Ann" {
				err = errors.New("the answer is " + answer)
			}
			return err
		}
	}
	failure := found(t, program(false), jobtest.Schedules(200))
	assert.Contains(t, failure, "an error: the answer is hello A")
	assert.Empty(t, found(t, program(true), jobtest.Schedules(200)))
}

// Whatever faults a network has, each call ends, and nothing is left behind.
func TestFaultsEndInErrors(t *testing.T) {
	kinds := map[string]int{}
	jobtest.Explore(t, func(ctx context.Context) error {
		answer, err := conversationAsync(ctx, true).Wait(ctx)
		switch {
		case err == nil && answer == "hello Ann":
			kinds["well"]++
		case errors.Is(err, syscall.ECONNREFUSED):
			kinds["refused"]++
		case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF):
			kinds["broken"]++
		default:
			return errors.Join(errors.New("ended otherwise, with "+answer), err)
		}
		return nil
	}, jobtest.Faults(simnet.Reset, simnet.Loss, simnet.Refused), jobtest.Schedules(500))
	for _, kind := range []string{"well", "refused", "broken"} {
		assert.NotZero(t, kinds[kind], "%s: %v", kind, kinds)
	}
}

// timeout reads from a silent peer.
//
//movenext:async
func timeout(ctx context.Context) error {
	n := simnet.New(ctx, simnet.Latency(time.Second, time.Second))
	l, err := n.Listen("server")
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	c, err := n.Dial(ctx, "server")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

func TestADeadlineIsVirtual(t *testing.T) {
	began := time.Now()
	jobtest.Run(t, func(ctx context.Context) error {
		_, err := timeoutAsync(ctx).Wait(ctx)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		return nil
	})
	assert.Less(t, time.Since(began), time.Hour)
}

func TestAddressesAndListeners(t *testing.T) {
	ctx := context.Background()
	n := simnet.New(ctx)
	_, err := n.Dial(ctx, "server")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	l, err := n.Listen("server")
	require.NoError(t, err)
	_, err = n.Listen("server")
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	c, err := n.Dial(ctx, "server")
	require.NoError(t, err)
	assert.Equal(t, "server", c.RemoteAddr().String())
	assert.Equal(t, "client:2", c.LocalAddr().String())
	accepting := l.AcceptAsync()
	s, err := accepting.Await()
	require.NoError(t, err)
	assert.Equal(t, c.LocalAddr(), s.RemoteAddr())
	next := l.AcceptAsync()
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Close(), net.ErrClosed)
	_, err = next.Await()
	require.ErrorIs(t, err, net.ErrClosed)
	require.NoError(t, c.Close())
	require.ErrorIs(t, c.Close(), net.ErrClosed)
	_, err = s.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	_, err = s.Write([]byte("x"))
	require.ErrorIs(t, err, syscall.EPIPE)
	l, err = n.Listen("server")
	require.NoError(t, err, "the address is free again")
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	require.NoError(t, s.Readable(canceled), "there is an end to read")
	slow := simnet.New(ctx, simnet.Latency(time.Hour, time.Hour))
	_, err = slow.Dial(canceled, "server")
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, l.Close())
	require.NoError(t, s.Close())
}

func TestCopyAndBufferedOfPackageNetio(t *testing.T) {
	ctx := context.Background()
	a, b, err := ends(ctx, simnet.Short())
	require.NoError(t, err)
	text := strings.Repeat("a line\n", 1000)
	sent := job.Go(ctx, func(context.Context) error {
		_, err := a.Write([]byte(text))
		return errors.Join(err, a.CloseWrite())
	})
	lines := netio.NewBuffered(b)
	line, err := lines.ReadLine(ctx, 100)
	require.NoError(t, err)
	assert.Equal(t, "a line", string(line))
	var rest bytes.Buffer
	_, err = rest.ReadFrom(lines)
	require.NoError(t, err)
	assert.Equal(t, len(text)-len("a line\n"), rest.Len())
	_, err = sent.Await()
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestAWriteWithAContextEndsWithIt(t *testing.T) {
	jobtest.Run(t, func(ctx context.Context) error {
		a, b, err := ends(ctx, simnet.Buffer(4))
		require.NoError(t, err)
		defer func() { require.NoError(t, errors.Join(a.Close(), b.Close())) }()
		short, cancel := context.WithCancel(ctx)
		stuck, next := a.WriteAllAsync(short, []byte("full up")), a.WriteAllAsync(short, []byte("x"))
		_ = job.Sleep(ctx, time.Second)
		cancel()
		n, err := stuck.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 4, n)
		n, err = next.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, n)
		return nil
	})
}

func TestTheEndOfADirectionComesAfterEarlierWrites(t *testing.T) {
	jobtest.Run(t, func(ctx context.Context) error {
		a, b, err := ends(ctx, simnet.Buffer(4))
		if err != nil {
			return err
		}
		defer func() { _, _ = a.Close(), b.Close() }()
		written, ended := a.WriteAsync([]byte("longer than the buffer")), a.CloseWriteAsync()
		var all strings.Builder
		for p := make([]byte, 4); err == nil; {
			var n int
			n, err = b.ReadAsync(p).Wait(ctx)
			all.Write(p[:n])
		}
		if err != io.EOF || all.Len() != 22 {
			return fmt.Errorf("read %q, then %w", all.String(), err)
		}
		return errors.Join(written.Err(), ended.Err())
	})
}
