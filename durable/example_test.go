package durable_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
)

// Greeter is the receiver of the steps.
type Greeter struct{ greeting string }

// Greet is a durable function as plain Go: it calls a step for the salutation, waits for a
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
	gen.NoDeferred
	g *Greeter

	name, polite, from string
	result             string
	err                error
}

func (f *greetFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	switch t.Point() {
	case 1: // salute has returned
		if f.err = t.Err(); f.err != nil {
			return t.Return()
		}
		return t.Receive(2, "sender", time.Hour)
	case 2: // the signal has arrived
		f.from, f.err = gen.Received[string](t)
		f.result = f.polite + " from " + f.from
		return t.Return()
	}
	return t.Step(1)
}

func (f *greetFrame) Call(ctx context.Context, _ int) (err error) {
	f.polite, err = f.g.salute(ctx, f.name)
	return err
}

func (f *greetFrame) Live(point int) []gen.Value {
	switch point {
	case 0, 1:
		return []gen.Value{{Name: "name", Ptr: &f.name}}
	case 2:
		return []gen.Value{{Name: "polite", Ptr: &f.polite}}
	}
	return []gen.Value{{Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
}

func (f *greetFrame) Outcome() (result any, err *error) { return &f.result, &f.err }

// GreetDurable describes the function to the engine.
var GreetDurable = durable.Function[*Greeter, string, string]{
	Name:   "example.Greet",
	Layout: "1",
	Points: []gen.Point{{Name: "begin"}, {Name: "salute", Step: "example.salute"}, {Name: "sender"}},
	New:    func(g *Greeter, name string) gen.Frame { return &greetFrame{g: g, name: name} },
}

// A durable function written by hand. It is started on one engine, and another one continues it,
// as after a deploy.
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

// tallyFrame is a function, written by hand, that adds up the numbers that it receives.
type tallyFrame struct {
	gen.NoDeferred
	sum int
	err error
}

func (f *tallyFrame) MoveNext(ctx context.Context, t gen.Turn) bool {
	if t.Point() == 1 {
		asked, err := gen.Received[durable.Asked[int]](t)
		f.err = err
		if err != nil || asked.Value == 0 {
			return t.Return()
		}
		f.sum += asked.Value
		if f.err = asked.Answer(ctx, f.sum, nil); f.err != nil {
			return t.Return()
		}
	}
	return t.Receive(1, "add", time.Hour)
}

func (f *tallyFrame) Call(context.Context, int) error { return nil }

func (f *tallyFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "sum", Ptr: &f.sum}, {Name: "err", Ptr: &f.err}}
}

func (f *tallyFrame) Outcome() (result any, err *error) { return &f.sum, &f.err }

var tallyDurable = durable.Function[struct{}, int, int]{
	Name: "example.Tally", Layout: "1",
	Points: []gen.Point{{Name: "begin"}, {Name: "add"}},
	New:    func(_ struct{}, begin int) gen.Frame { return &tallyFrame{sum: begin} },
}

// The function answers an update but does not see one that Validate refuses. A query reads saved
// values, and a reset goes back to the beginning.
func ExampleUpdate() {
	ctx := context.Background()
	e, err := durable.Open(ctx, durable.NewMemory(), durable.Trail(64<<10))
	if err != nil {
		fmt.Println(err)
		return
	}
	tallies := durable.Serve(e, tallyDurable, struct{}{})
	durable.Validate(tallies, "add", func(i *durable.Instance, n int) error {
		if n < 0 {
			return fmt.Errorf("%d is negative", n)
		}
		return nil
	})
	_, err = tallies.Start(ctx, "tally-1", 100, durable.Labels(map[string]string{"tenant": "a"}))
	fmt.Println(err)
	fmt.Println(durable.Update[int](ctx, e, "tally-1", "add", 5))
	fmt.Println(durable.Update[int](ctx, e, "tally-1", "add", -5))
	fmt.Println(durable.Query(ctx, e, "tally-1", func(i *durable.Instance) (sum int, err error) {
		err = i.Value("sum", &sum)
		return sum, err
	}))
	fmt.Println(e.Reset(ctx, "tally-1", "begin"))
	fmt.Println(durable.Update[int](ctx, e, "tally-1", "add", 7))
	list, err := e.List(ctx, durable.Filter{Labels: map[string]string{"tenant": "a"}})
	for _, i := range list {
		fmt.Println(i.ID, i.Status, i.Signal, len(i.Resets), err)
	}
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// <nil>
	// 105 <nil>
	// 0 -5 is negative
	// 105 <nil>
	// <nil>
	// 107 <nil>
	// tally-1 waiting add 1 <nil>
	// <nil>
}

// sumFrame is a function, written by hand, that has two tallies as children.
type sumFrame struct {
	gen.NoDeferred
	sum int
	err error
}

func (f *sumFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return gen.All[durable.Child](t, 1, durable.Call(tallyDurable, struct{}{}, 10), durable.Call(tallyDurable, struct{}{}, 20, named("second")))
	}
	var list []int
	list, f.err = gen.Joined[int](t)
	for _, n := range list {
		f.sum += n
	}
	return t.Return()
}

func (f *sumFrame) Call(context.Context, int) error { return nil }

func (f *sumFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "sum", Ptr: &f.sum}, {Name: "err", Ptr: &f.err}}
}

func (f *sumFrame) Outcome() (result any, err *error) { return &f.sum, &f.err }

var sumDurable = durable.Function[struct{}, struct{}, int]{
	Name: "example.Sum", Layout: "1",
	Points: []gen.Point{{Name: "begin"}, {Name: "tallies"}},
	New:    func(struct{}, struct{}) gen.Frame { return &sumFrame{} },
}

// named is a label that names an instance.
func named(name string) durable.StartOption { return durable.Labels(map[string]string{"name": name}) }

// Lists are filtered and come in pages; a count needs no page.
func ExampleEngine_Count() {
	ctx := context.Background()
	e, err := durable.Open(ctx, durable.NewMemory(), durable.Client()) // nothing runs
	if err != nil {
		fmt.Println(err)
		return
	}
	tallies := durable.Serve(e, tallyDurable, struct{}{})
	begin := time.Now()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := tallies.Start(ctx, "tally-"+name, 0, named(name)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(e.Count(ctx, durable.Filter{Status: durable.Running, Created: durable.Period{From: begin}}))
	fmt.Println(e.Count(ctx, durable.Filter{Updated: durable.Period{Until: begin}}))
	fmt.Println(e.Count(ctx, durable.Filter{Labels: map[string]string{"name": "b"}}))
	for page := (durable.Filter{Limit: 2}); ; {
		list, err := e.List(ctx, page)
		if err != nil || len(list) == 0 {
			break
		}
		for _, i := range list {
			fmt.Println(i.ID)
			page.After = i.ID
		}
		fmt.Println("next page")
	}
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// 3 <nil>
	// 0 <nil>
	// 1 <nil>
	// tally-a
	// tally-b
	// next page
	// tally-c
	// next page
	// <nil>
}

// A deleted instance is gone, and its id is free.
func ExampleEngine_Delete() {
	ctx := context.Background()
	e, err := durable.Open(ctx, durable.NewMemory())
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := durable.Serve(e, tallyDurable, struct{}{}).Start(ctx, "tally-1", 100)
	fmt.Println(err)
	fmt.Println(errors.Is(e.Delete(ctx, "tally-1"), durable.ErrNotEnded))
	fmt.Println(e.Terminate(ctx, "tally-1"))
	fmt.Println(e.Delete(ctx, "tally-1", durable.WithChildren()))
	fmt.Println(e.Delete(ctx, "tally-1")) // nothing is left to do
	_, err = h.Wait(ctx)
	fmt.Println(err)
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// <nil>
	// true
	// <nil>
	// <nil>
	// <nil>
	// durable: no such instance
	// <nil>
}

// A function waits for its children, which are instances that can receive signals.
func ExampleAll() {
	ctx := context.Background()
	e, err := durable.Open(ctx, durable.NewMemory())
	if err != nil {
		fmt.Println(err)
		return
	}
	durable.Serve(e, tallyDurable, struct{}{})
	h, err := durable.Serve(e, sumDurable, struct{}{}).Start(ctx, "sum-1", struct{}{})
	fmt.Println(err)
	var children []string
	for len(children) == 0 {
		i, err := e.Get(ctx, "sum-1")
		if err != nil {
			fmt.Println(err)
			return
		}
		children = i.Children
	}
	for _, id := range children {
		// The child is not found until it has been started.
		for err = durable.ErrNotFound; errors.Is(err, durable.ErrNotFound); {
			err = e.Signal(ctx, id, "add", durable.Asked[int]{})
		}
		fmt.Println(err)
	}
	fmt.Println(h.Wait(ctx))
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// 30 <nil>
	// <nil>
}

// mailing is a step that sends many letters.
func mailing(ctx context.Context, items []string, send func(string)) error {
	from, _ := durable.Progress[int](ctx)
	for n := from; n < len(items); n++ {
		send(items[n])
		if err := durable.Heartbeat(ctx, n+1); err != nil {
			return err
		}
	}
	return nil
}

// A step reports its progress. In the plain form the report has no effect.
func ExampleHeartbeat() {
	err := mailing(gen.WithPlain(context.Background(), silent{}), []string{"a", "b"}, func(item string) { fmt.Println(item) })
	fmt.Println(err)
	// Output:
	// a
	// b
	// <nil>
}

// silent is a Plain for functions that wait for nothing.
type silent struct{ gen.Plain }

// sealed encrypts with AES-GCM. It binds each text to the id of its instance.
type sealed struct{ cipher.AEAD }

//nolint:gosec // the AEAD makes a nonce for each text
func (s sealed) Encode(id string, plain []byte) ([]byte, error) {
	return s.Seal(nil, nil, plain, []byte(id)), nil
}

func (s sealed) Decode(id string, data []byte) ([]byte, error) {
	return s.Open(nil, nil, data, []byte(id))
}

// The store receives only encrypted checkpoints and signals.
func ExamplePayloads() {
	ctx := context.Background()
	block, err := aes.NewCipher([]byte("a key of 32 bytes, from a vault."))
	if err != nil {
		fmt.Println(err)
		return
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := durable.Open(ctx, durable.NewMemory(), durable.Payloads(sealed{aead}))
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := durable.Serve(e, GreetDurable, &Greeter{"Good morning"}).Start(ctx, "greeting-1", "Ada")
	fmt.Println(err)
	fmt.Println(h.Signal(ctx, "sender", "Grace"))
	fmt.Println(h.Wait(ctx))
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// <nil>
	// <nil>
	// Good morning, Ada from Grace <nil>
	// <nil>
}

// A hook receives the engine's events, and the metrics count them.
func ExampleEngine_OnEvent() {
	ctx := context.Background()
	e, err := durable.Open(ctx, durable.NewMemory())
	if err != nil {
		fmt.Println(err)
		return
	}
	e.OnEvent(func(v durable.Event) {
		if v.Kind == durable.StepEnded || v.Kind == durable.Ended {
			fmt.Println(v.Kind, v.ID, v.Step, v.Err)
		}
	})
	h, err := durable.Serve(e, GreetDurable, &Greeter{"Good morning"}).Start(ctx, "greeting-1", "Ada")
	fmt.Println(err)
	fmt.Println(h.Signal(ctx, "sender", "Grace"))
	_, err = h.Wait(ctx)
	fmt.Println(err, e.Shutdown(ctx))
	m := e.Metrics()
	fmt.Println(m.Started, m.Steps, m.Failures, m.Ended)
	// Unordered output:
	// <nil>
	// <nil>
	// step ended greeting-1 example.salute <nil>
	// ended greeting-1  <nil>
	// <nil> <nil>
	// 1 1 0 1
}
