package durable_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable"
)

// Greeter has the steps.
type Greeter struct{ greeting string }

// Greet is a durable function as plain Go: it asks a step for a name's form, waits for a
// signal, and returns.
func (g *Greeter) Greet(ctx context.Context, name string) (string, error) {
	polite, err := g.salute(ctx, name)
	if err != nil {
		return "", err
	}
	from, err := durable.Receive[string](ctx, "sender", time.Hour)
	return polite + " from " + from, err
}

func (g *Greeter) salute(_ context.Context, name string) (string, error) {
	return g.greeting + ", " + name, nil
}

// greetFrame is the same function as a frame, written by hand.
type greetFrame struct {
	durable.NoDeferred
	g *Greeter

	name, polite, from string
	result             string
	err                error
}

func (f *greetFrame) MoveNext(_ context.Context, t *durable.Turn) bool {
	switch t.Point() {
	case 1: // salute has returned
		if f.err = t.Err(); f.err != nil {
			return t.Return()
		}
		return t.Receive(2, "sender", time.Hour)
	case 2: // the signal is there
		f.from, f.err = durable.Received[string](t)
		f.result = f.polite + " from " + f.from
		return t.Return()
	}
	return t.Step(1)
}

func (f *greetFrame) Call(ctx context.Context, _ int) (err error) {
	f.polite, err = f.g.salute(ctx, f.name)
	return err
}

func (f *greetFrame) Live(point int) []durable.Value {
	switch point {
	case 0, 1:
		return []durable.Value{{Name: "name", Ptr: &f.name}}
	case 2:
		return []durable.Value{{Name: "polite", Ptr: &f.polite}}
	}
	return []durable.Value{{Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
}

func (f *greetFrame) Outcome() (result any, err *error) { return &f.result, &f.err }

// GreetDurable is what an engine needs to know.
var GreetDurable = durable.Function[*Greeter, string, string]{
	Name:   "example.Greet",
	Layout: "1",
	Points: []durable.Point{{Name: "begin"}, {Name: "salute", Step: "example.salute"}, {Name: "sender"}},
	New:    func(g *Greeter, name string) durable.Frame { return &greetFrame{g: g, name: name} },
}

// A durable function that is written by hand: it is started on one engine, and another one
// continues it, as after a deploy.
func Example() {
	ctx := context.Background()
	store := durable.NewMemory()

	first, err := durable.Open(ctx, store)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := durable.Serve(first, GreetDurable, &Greeter{"Good morning"}).Start(ctx, "greeting-1", "Ada")
	fmt.Println(h.ID(), err)
	for waits := false; !waits; {
		i, err := first.Get(ctx, "greeting-1")
		waits = err != nil || i.Status == durable.Waiting
	}
	fmt.Println(first.Shutdown(ctx))

	second, err := durable.Open(ctx, store)
	if err != nil {
		fmt.Println(err)
		return
	}
	h = durable.Serve(second, GreetDurable, &Greeter{"Good evening"}).Handle("greeting-1")
	fmt.Println(h.Signal(ctx, "sender", "Grace"))
	fmt.Println(h.Wait(ctx))
	fmt.Println(second.Shutdown(ctx))
	// Output:
	// greeting-1 <nil>
	// <nil>
	// <nil>
	// Good morning, Ada from Grace <nil>
	// <nil>
}
