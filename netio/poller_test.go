//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/polling"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
)

func goroutinesIn(function string) int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), function)
}

func TestIdleConnectionsHoldOneGoroutineAndTheLastTakesItAlong(t *testing.T) {
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	before, files := runtime.NumGoroutine(), descriptors(t)
	l := listen(t, "tcp")
	const many = 300
	var clients []*netio.Conn
	var served []*job.Job[int]
	for range many {
		clients = append(clients, dial(t, l))
		c, err := l.Accept()
		require.NoError(t, err)
		served = append(served, echoAllAsync(ctx, c))
	}
	assert.Less(t, runtime.NumGoroutine()-before, 50, "not one a connection")
	assert.Equal(t, 1, goroutinesIn("netio.(*poller).loop("))
	for _, c := range clients {
		_, err := c.Write([]byte("ping"))
		require.NoError(t, err)
	}
	for _, c := range clients {
		_, err := c.ReadFull(make([]byte, 4))
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	for _, j := range served {
		n, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, 4, n)
	}
	require.NoError(t, l.Close())
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Eventually(t, func() bool { return descriptors(t) <= files && goroutinesIn("netio.(*poller)") == 0 },
		10*time.Second, time.Millisecond, "descriptors and goroutines")
}

// Workers look for events as long as there is a socket. That a worker's loop does is a test of
// package runloop.
func TestBusyWorkersLookForEvents(t *testing.T) {
	require.False(t, polling.HasSource())
	l := listen(t, "tcp")
	c := dial(t, l)
	assert.True(t, polling.HasSource())
	require.NoError(t, l.Close())
	assert.True(t, polling.HasSource())
	require.NoError(t, c.Close())
	assert.False(t, polling.HasSource())
}

// What a worker's look finds is what the goroutine would find, also while both look.
func TestLooksOfWorkersLoseNoEvent(t *testing.T) {
	onProcs(t, func(t *testing.T) {
		a, b := pipe(t, "tcp")
		told := echoAllAsync(t.Context(), b)
		stop, looked := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(looked)
			var countdown polling.Countdown
			for {
				select {
				case <-stop:
					return
				default:
					countdown.Next()
				}
			}
		}()
		messages := 300
		if testing.Short() {
			messages = 50
		}
		var p [8]byte
		for range messages {
			_, err := a.Write(p[:])
			require.NoError(t, err)
			_, err = a.ReadFull(p[:])
			require.NoError(t, err)
		}
		require.NoError(t, a.CloseWrite())
		total, err := told.Wait(t.Context())
		close(stop)
		<-looked
		require.NoError(t, err)
		assert.Equal(t, messages*len(p), total)
	})
}

func TestAMachinesWaitAllocatesNothing(t *testing.T) {
	cancelable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"endless": context.Background(), "cancelable": cancelable} {
		t.Run(name, func(t *testing.T) { echoesWithoutMemory(t, ctx) })
	}
}

func echoesWithoutMemory(t *testing.T, ctx context.Context) {
	t.Helper()
	s := dedicated.New(1) // keeps its thread; a pool would start a new worker for late work
	ctx = schedulers.With(ctx, s)
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	a, b := pipe(t, "tcp")
	var p, q [64]byte
	served := echoByAsync(ctx, b, q[:])
	turn := func() {
		_, err := a.Write(p[:])
		require.NoError(t, err)
		_, err = a.ReadFull(p[:])
		require.NoError(t, err)
	}
	turn()
	turn() // the second wait makes what all others use
	assert.Less(t, testing.AllocsPerRun(200, turn), 1.0)
	require.NoError(t, a.Close())
	n, err := served.Await()
	require.NoError(t, err)
	assert.Equal(t, 203*64, n)
}

// echoBy is echo with its caller's buffer.
//
//movenext:async
func echoBy(ctx context.Context, c *netio.Conn, p []byte) (int, error) {
	total := 0
	for {
		if err := c.Readable(ctx); err != nil {
			return total, err
		}
		if _, err := c.ReadFull(p[:1]); err != nil {
			return total, ended(err)
		}
		n, err := c.Read(p[1:])
		if err != nil {
			return total, err
		}
		if _, err := c.Write(p[:1+n]); err != nil {
			return total, err
		}
		total += 1 + n
	}
}

// ended is err, unless that is the end.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func TestManyConversationsLoseNoWake(t *testing.T) {
	onProcs(t, func(t *testing.T) {
		l := listen(t, "unix")
		const pairs, turns = 20, 300
		var clients sync.WaitGroup
		var served []*job.Job[int]
		for range pairs {
			c := dial(t, l)
			s, err := l.Accept()
			require.NoError(t, err)
			served = append(served, echoAllAsync(context.Background(), s))
			clients.Go(func() {
				var p [64]byte
				for i := range turns {
					size := 1 + i%len(p)
					if _, err := c.Write(p[:size]); !assert.NoError(t, err) {
						return
					}
					if _, err := c.ReadFull(p[:size]); !assert.NoError(t, err) {
						return
					}
				}
				assert.NoError(t, c.CloseWrite())
			})
		}
		clients.Wait()
		for _, j := range served {
			_, err := j.Await()
			require.NoError(t, err)
		}
	})
}

// TestReusedDescriptors closes and opens connections while events are under way:
// the number of a descriptor goes to another connection at once, which must read
// only its own data.
func TestReusedDescriptors(t *testing.T) {
	onProcs(t, func(t *testing.T) {
		l := listen(t, "unix")
		var clients sync.WaitGroup
		for i := range 8 {
			clients.Go(func() {
				for range 60 {
					c, err := netio.Dial(context.Background(), "unix", l.Addr().String())
					if !assert.NoError(t, err) {
						return
					}
					_, err = c.Write([]byte{byte(i)})
					assert.NoError(t, err)
					var got [1]byte
					_, err = c.ReadFull(got[:])
					assert.NoError(t, err)
					assert.Equal(t, byte(i), got[0])
					assert.NoError(t, c.Close())
				}
			})
		}
		var served []*job.Job[int]
		for range 8 * 60 {
			c, err := l.Accept()
			require.NoError(t, err)
			served = append(served, echoAllAsync(context.Background(), c))
		}
		clients.Wait()
		for _, j := range served {
			n, err := j.Await()
			require.NoError(t, err)
			assert.Equal(t, 1, n)
		}
	})
}

func TestAPeerThatFloodsDoesNotKeepTheWorker(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	a, b := pipe(t, "unix")
	stop := make(chan struct{})
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		for {
			if _, err := a.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}()
	drained := drainAsync(ctx, b, stop)
	for range 20 { // each gets its turn, though the other machine has always something to read
		_, err := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }).Await()
		require.NoError(t, err)
	}
	close(stop)
	_, err := drained.Await()
	require.NoError(t, err)
	require.NoError(t, b.Close())
	<-flooded
	require.NoError(t, p.Shutdown(context.Background()))
}

// drain reads small pieces until it is told to stop.
//
//movenext:async
func drain(ctx context.Context, c *netio.Conn, stop <-chan struct{}) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var p [16]byte
	for total := 0; ; {
		select {
		case <-stop:
			return total, nil
		default:
		}
		n, err := c.Read(p[:])
		if err != nil {
			return total, err
		}
		total += n
	}
}

func TestAMachineWhoseHomeHasEndedIsToldAndTheDataStay(t *testing.T) {
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	a, b := pipe(t, "tcp")
	j := readTwoAsync(ctx, b)
	require.NoError(t, p.Shutdown(context.Background()))
	_, err := a.Write([]byte("data"))
	require.NoError(t, err)
	_, err = j.Await()
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	var got [4]byte
	_, err = b.ReadFull(got[:])
	require.NoError(t, err)
	assert.Equal(t, "data", string(got[:]))
}

//movenext:async
func readTwo(ctx context.Context, c *netio.Conn) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var p [2]byte
	return c.ReadFull(p[:])
}

func TestAcceptContinuesWhenThereAreDescriptorsAgain(t *testing.T) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	l := listen(t, "unix")
	raw, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0) // before the limit
	require.NoError(t, err)
	defer func() { _ = syscall.Close(raw) }()

	few := limit
	few.Cur = 0
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	j := l.AcceptAsync()
	err = syscall.Connect(raw, &syscall.SockaddrUnix{Name: l.Addr().String()})
	assert.NoError(t, job.Sleep(context.Background(), 30*time.Millisecond)) // several EMFILE
	completed := j.IsCompleted()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.NoError(t, err)
	assert.False(t, completed)
	c, err := j.Await()
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func TestABubbleIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := netio.Listen("tcp", "127.0.0.1:0")
		require.ErrorContains(t, err, "outside of it, or use net.Pipe")
	})
}

// TestAFaultyPeer has clients that misbehave in various ways, and one that
// behaves; the server serves it.
func TestAFaultyPeer(t *testing.T) {
	l := listen(t, "tcp")
	address := l.Addr().String()
	var served []*job.Job[int]
	accept := func(peer func(net.Conn)) {
		nc, err := net.Dial("tcp", address)
		require.NoError(t, err)
		peer(nc)
		c, err := l.Accept()
		require.NoError(t, err)
		require.NoError(t, c.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		served = append(served, echoAllAsync(context.Background(), c))
		t.Cleanup(func() { _ = nc.Close() })
	}
	accept(func(nc net.Conn) { _ = nc.Close() })
	accept(func(nc net.Conn) { // a reset in the middle
		_, _ = nc.Write([]byte("half"))
		_ = nc.(*net.TCPConn).SetLinger(0)
		_ = nc.Close()
	})
	accept(func(nc net.Conn) { // never reads
		go func() { _, _ = nc.Write(make([]byte, 1<<24)) }()
	})
	accept(func(nc net.Conn) { // a byte at a time
		for range 10 {
			_, _ = nc.Write([]byte{1})
		}
		_ = nc.(*net.TCPConn).CloseWrite()
	})
	n, err := served[0].Await()
	require.NoError(t, err)
	assert.Zero(t, n)
	_, err = served[1].Await()
	require.ErrorIs(t, err, syscall.ECONNRESET)
	_, err = served[2].Await()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	n, err = served[3].Await()
	if err == nil {
		assert.Equal(t, 10, n)
	} else {
		require.True(t, errors.Is(err, os.ErrDeadlineExceeded), err)
	}
}
