package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"encoding/json"

	"github.com/gobwas/ws"

	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// load is a set of members, each a machine, in rooms of a server that runs elsewhere.
type load struct {
	config

	here      sync.WaitGroup // members that have not entered their room
	arrived   atomic.Int64
	expected  atomic.Int64
	lost      atomic.Int64 // connections that ended by themselves
	mu        sync.Mutex
	latencies []time.Duration // guarded by mu
}

// loadServer enters the rooms, speaks for a while, and writes a summary.
func loadServer(ctx context.Context, c config, out io.Writer) error {
	l := &load{config: c}
	crowd := job.NewScope(ctx, job.Supervisor())
	defer crowd.Close()
	sockets := make([]*socket, c.load)
	for i := range sockets {
		s, err := l.enter(ctx, i)
		if err != nil {
			crowd.Cancel(err)
			return fmt.Errorf("member %d of %d: %w", i+1, c.load, err)
		}
		sockets[i] = s
	}
	l.here.Add(len(sockets))
	for _, s := range sockets {
		_ = l.listenAsync(crowd.Context(), s)
	}
	l.here.Wait()
	fmt.Fprintf(out, "%d members in %d rooms\n", c.load, min(c.rooms, c.load))
	sending, cancel := context.WithTimeout(ctx, c.last)
	defer cancel()
	began := time.Now()
	sent, err := l.sendAllAsync(sending, sockets).Wait(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	took := time.Since(began)
	l.awaitQuiet(ctx)
	l.report(out, sent, took)
	for _, s := range sockets {
		_ = s.conn.Close()
	}
	return nil
}

// enter connects a member. The handshake holds this goroutine.
func (l *load) enter(ctx context.Context, i int) (*socket, error) {
	where := url.URL{Scheme: "ws", Host: l.addr, Path: "/chat", RawQuery: url.Values{
		"name": {"member " + strconv.Itoa(i)}, "room": {"room " + strconv.Itoa(i%l.rooms)},
	}.Encode()}
	nc, br, _, err := ws.Dial(ctx, where.String())
	if err != nil {
		return nil, err
	}
	var ahead []byte
	if br != nil {
		ahead, _ = br.Peek(br.Buffered())
		defer ws.PutReader(br)
	}
	conn, err := netio.Adopt(nc, slices.Clone(ahead)...)
	if err != nil {
		_ = nc.Close()
		return nil, err
	}
	return newSocket(conn, ws.StateClientSide, time.Minute), nil
}

// listen is the loop of a member: it counts the messages that it receives.
//
//movenext:async
func (l *load) listen(ctx context.Context, s *socket) {
	entered := false
	for {
		_, text, err := s.readMessage(ctx)
		if err != nil {
			if !entered {
				l.here.Done()
			}
			l.lost.Add(1)
			s.end(ctx, err)
			return
		}
		if l.hear(text) && !entered {
			entered = true
			l.here.Done()
		}
	}
}

// hear counts a message, and reports whether it is the first one of a member.
func (l *load) hear(text []byte) (here bool) {
	var e event
	if json.Unmarshal(text, &e) != nil {
		return false
	}
	if e.Kind == "said" {
		if sent, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			l.record(time.Since(time.Unix(0, sent)))
		}
		l.arrived.Add(1)
	}
	return e.Kind == "here"
}

func (l *load) record(latency time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latencies = append(l.latencies, latency)
}

// sendAll lets the members speak in turn, until ctx ends, and returns how often.
//
//movenext:async
func (l *load) sendAll(ctx context.Context, sockets []*socket) (sent int, err error) {
	pace := rate.NewLimiter(rate.Limit(l.rate), 1)
	for i := 0; ; i = (i + 1) % len(sockets) {
		if err := pace.Wait(ctx); err != nil {
			return sent, nil //nolint:nilerr // the time is over
		}
		now := strconv.FormatInt(time.Now().UnixNano(), 10)
		sockets[i].send(context.WithoutCancel(ctx), ws.NewTextFrame([]byte(now)))
		sent++
		l.expected.Add(int64(l.membersOf(i % l.rooms)))
	}
}

// membersOf returns how many members a room has.
func (l *load) membersOf(room int) int { return (l.load + l.rooms - 1 - room) / l.rooms }

// awaitQuiet waits until everything has arrived, or nothing arrives any more.
func (l *load) awaitQuiet(ctx context.Context) {
	for last, rounds := int64(-1), 0; rounds < 20 && ctx.Err() == nil; rounds++ {
		if n := l.arrived.Load(); n == l.expected.Load() {
			return
		} else if n != last {
			last, rounds = n, 0
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// report prints the summary.
func (l *load) report(out io.Writer, sent int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.latencies)
	at := func(part float64) time.Duration {
		if len(l.latencies) == 0 {
			return 0
		}
		return l.latencies[int(part*float64(len(l.latencies)-1))].Round(10 * time.Microsecond)
	}
	arrived, expected := l.arrived.Load(), l.expected.Load()
	fmt.Fprintf(out, "%d messages in %s, %d deliveries, %.0f a second\n",
		sent, took.Round(time.Millisecond), arrived, float64(arrived)/took.Seconds())
	fmt.Fprintf(out, "from member to member: p50 %s, p99 %s\n", at(.5), at(.99))
	fmt.Fprintf(out, "lost %d messages, %d connections\n", expected-arrived, l.lost.Load())
}
