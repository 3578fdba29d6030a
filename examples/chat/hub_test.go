package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/jobtest/simnet"
)

// TestTheHubUnderManySchedules runs the server's code for connections over a network whose
// latencies and short reads are choices of the schedule.
func TestTheHubUnderManySchedules(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		_, err := hubAsync(ctx).Wait(ctx)
		return err
	}, jobtest.Faults(simnet.Loss), jobtest.StepTime(10*time.Millisecond), jobtest.Schedules(200))
}

// hub lets Ann speak to Bob, and checks that he hears all of it, in order.
//
//movenext:async
func hub(ctx context.Context) error {
	n := simnet.New(ctx, simnet.Latency(0, time.Second), simnet.Short())
	c := newChat(ctx, 2, time.Minute)
	ann, servedAnn, err := enterHub(ctx, c, n, "Ann")
	if err != nil {
		return err
	}
	bob, servedBob, err := enterHub(ctx, c, n, "Bob")
	if err != nil {
		return err
	}
	for _, text := range []string{"one", "two", "three"} {
		ann.send(ctx, ws.NewTextFrame([]byte(text)))
	}
	for _, want := range []string{"one", "two", "three"} {
		if e, err := hear(ctx, bob, "said"); err != nil || e.Text != want {
			return fmt.Errorf("heard %q instead of %q: %w", e.Text, want, err)
		}
	}
	ann.end(ctx, &closeError{ws.StatusNormalClosure, "bye"})
	if e, err := hear(ctx, bob, "left"); err != nil || e.Name != "Ann" {
		return fmt.Errorf("left: %q: %w", e.Name, err)
	}
	bob.end(ctx, &closeError{ws.StatusNormalClosure, "bye"})
	if _, err := job.WhenAllOf(servedAnn, servedBob).Await(); err != nil {
		return err
	}
	if left := len(c.connections()) + len(c.rooms); left > 0 {
		return fmt.Errorf("%d connections and rooms are left", left)
	}
	return nil
}

// enterHub connects a member. served is the machine that serves it.
//
//movenext:async
func enterHub(ctx context.Context, c *chat, n *simnet.Network, name string) (s *socket, served job.Handle, err error) {
	l, err := n.Listen(name)
	if err != nil {
		return nil, nil, err
	}
	accepted := l.AcceptAsync()
	conn, err := n.Dial(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	theirs, err := accepted.Await()
	if err != nil {
		return nil, nil, err
	}
	member := &member{newSocket(theirs, ws.StateServerSide, c.silence), name}
	if err := c.add(member.socket); err != nil {
		return nil, nil, err
	}
	served = c.serveAsync(ctx, member, "lobby")
	s = newSocket(conn, ws.StateClientSide, c.silence)
	_, err = hear(ctx, s, "here")
	return s, served, err
}

// hear reads events until one is of the kind.
//
//movenext:async
func hear(ctx context.Context, s *socket, kind string) (e event, err error) {
	for e.Kind != kind {
		_, text, err := s.readMessage(ctx)
		if err != nil {
			return e, err
		}
		if err := json.Unmarshal(text, &e); err != nil {
			return e, err
		}
	}
	return e, nil
}
