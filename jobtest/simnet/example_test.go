package simnet_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest/simnet"
	"github.com/movenext/movenext/schedulers/simulation"
)

// An hour of latency takes no time.
func Example() {
	s := simulation.New(1)
	ctx := s.Context(context.Background())
	n := simnet.New(ctx, simnet.Latency(time.Hour, time.Hour))
	l, err := n.Listen("moon")
	if err != nil {
		fmt.Println(err)
		return
	}
	echo := job.Go(ctx, func(context.Context) error { return echoOnce(l) })
	answer, err := job.Run(ctx, func(ctx context.Context) (string, error) { return call(ctx, n) }).Wait(ctx)
	fmt.Println(answer, err, s.Now())
	_, err = echo.Wait(ctx)
	fmt.Println(err, l.Close())
	// Output:
	// hello <nil> 3h0m0s
	// <nil> <nil>
}

func echoOnce(l *simnet.Listener) error {
	c, err := l.Accept()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	p := make([]byte, 10)
	m, err := c.Read(p)
	if err != nil {
		return err
	}
	_, err = c.Write(p[:m])
	return err
}

func call(ctx context.Context, n *simnet.Network) (string, error) {
	c, err := n.Dial(ctx, "moon") // one hour
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("hello")); err != nil { // another
		return "", err
	}
	p := make([]byte, 10)
	m, err := c.Read(p) // and one for the answer
	return string(p[:m]), err
}
