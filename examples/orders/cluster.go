package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/natsstore/natstest"
)

// members is how many servers a cluster has.
const members = 3

// servers are the processes of a cluster.
type servers struct {
	plan    natstest.Plan
	network *network
	running [members]*exec.Cmd
	conn    *nats.Conn
	js      jetstream.JetStream

	// Counts of faults of servers: kills of leaders, cuts between a server and the others, kills
	// of any server, and pauses.
	leaders, cuts, kills, pauses atomic.Int64
}

// serveCluster starts a cluster, and opens a store on it.
func serveCluster(ctx context.Context, dir string) (*storage, error) {
	plan, err := natstest.NewPlan(dir, members)
	if err != nil {
		return nil, err
	}
	c := &servers{plan: plan}
	if c.network, err = newNetwork(plan.Routes, plan.Clients); err != nil {
		return nil, err
	}
	c.plan.Ways = c.network.ways()
	for i := range c.running {
		c.start(i)
	}
	soon, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := c.connect(soon); err != nil {
		c.close()
		return nil, err
	}
	s, err := natsstore.Connect(soon, plan.URL(), natsstore.Patience(time.Minute))
	if err != nil {
		c.close()
		return nil, err
	}
	return &storage{Store: s, name: plan.URL(), servers: c, close: func() error {
		err := s.Close()
		c.close()
		return err
	}}, nil
}

// member identifies the server of a cluster that a process is.
type member struct {
	Plan   natstest.Plan
	Number int
}

// start starts a server, or starts it again.
func (c *servers) start(i int) {
	text, err := json.Marshal(member{c.plan, i})
	if err != nil {
		panic(err)
	}
	c.running[i] = process("-server", string(text))
}

// serveOne is a server until it is killed.
func serveOne(ctx context.Context, text string) error {
	var m member
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	s, err := m.Plan.Start(m.Number)
	if err != nil {
		return err
	}
	<-ctx.Done()
	s.Stop()
	return nil
}

// connect waits until the cluster has a server that answers.
func (c *servers) connect(ctx context.Context) (err error) {
	for {
		c.conn, err = nats.Connect(c.plan.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
		if err == nil {
			c.js, err = jetstream.New(c.conn)
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

func (c *servers) close() {
	if c.conn != nil {
		c.conn.Close()
	}
	for _, cmd := range c.running {
		end(cmd)
	}
	c.network.close()
}

// killer injects faults into one server after another: it kills the one that leads a bucket and
// starts it again; it cuts a server off for a while; and now and then it kills any server, or
// stops one for longer than the others wait for it, so that it wakes up as a deposed leader. In
// between it waits until all servers have caught up. A nil cluster has no servers.
func (c *servers) killer(ctx context.Context, while time.Duration) {
	for n := 0; c != nil; {
		select {
		case <-time.After(time.Duration(500+rand.IntN(1000)) * time.Millisecond):
		case <-ctx.Done():
			return
		}
		leader, whole := c.state(ctx)
		if !whole {
			continue
		}
		switch i := rand.IntN(members); n % 5 {
		case 0:
			apart(ctx, c.network.around(leader), while)
			c.cuts.Add(1)
		case 2:
			apart(ctx, append(c.network.around(i), c.network.from(i)...), while)
			c.cuts.Add(1)
		case 4:
			if n%2 == 0 && pause(ctx, c.running[i].Process, longerThanElections) {
				c.pauses.Add(1)
			} else {
				c.kill(i)
				c.kills.Add(1)
			}
		default:
			c.kill(leader)
			c.leaders.Add(1)
		}
		n++
	}
}

// kill kills a server, and starts it again.
func (c *servers) kill(i int) {
	end(c.running[i])
	c.start(i)
}

// apart cuts links, and heals them after d.
func apart(ctx context.Context, links []*link, d time.Duration) {
	for _, l := range links {
		l.cut()
		defer l.heal()
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// faults is the number of faults that servers must have during a run.
type faults struct{ leaders, cuts int }

// await blocks until so many leaders were killed and servers cut off, or ctx has ended.
func (c *servers) await(ctx context.Context, f faults) {
	for c != nil && (c.leaders.Load() < int64(f.leaders) || c.cuts.Load() < int64(f.cuts)) && ctx.Err() == nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// longerThanElections is how long a server is stopped or cut off. The others elect leaders
// meanwhile.
const longerThanElections = 12 * time.Second

// behind is how many messages a replica may lack.
const behind = 100

// state is the number of the server that leads the first bucket, and whether all replicas of all
// buckets are nearly up to date.
func (c *servers) state(ctx context.Context) (leader int, whole bool) {
	whole = true
	streams := 0
	list := c.js.ListStreams(ctx)
	for info := range list.Info() {
		streams++
		if info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != members-1 {
			return 0, false
		}
		for _, r := range info.Cluster.Replicas {
			whole = whole && !r.Offline && r.Lag < behind
		}
		for i := range members {
			if info.Config.Name == "KV_movenext-0" && info.Cluster.Leader == c.plan.Name(i) {
				leader = i
			}
		}
	}
	return leader, whole && list.Err() == nil && streams > 0
}
