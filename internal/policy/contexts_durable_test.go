package policy

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

// counted is a durable function that waits for a number.
var counted = durable.Function[struct{}, int, int]{
	Name: "counted", Layout: "1",
	Points: []durable.Point{{Name: "begin"}, {Name: "number"}},
	New:    func(_ struct{}, n int) durable.Frame { return &countedFrame{n: n} },
}

type countedFrame struct {
	durable.NoDeferred
	n   int
	err error
}

func (f *countedFrame) MoveNext(_ context.Context, t *durable.Turn) bool {
	if t.Point() == 0 {
		return t.Receive(1, "number", durable.Forever)
	}
	f.n, f.err = durable.Received[int](t)
	return t.Return()
}

func (f *countedFrame) Call(context.Context, int) error { return nil }

func (f *countedFrame) Live(int) []durable.Value {
	return []durable.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *countedFrame) Outcome() (result any, err *error) { return &f.n, &f.err }

//movenext:async
func durables(ctx context.Context, n *notes) {
	e, err := durable.Open(ctx, durable.NewMemory(), durable.Log(slog.New(slog.DiscardHandler)))
	n.of("durable.Open")(err)
	served := durable.Serve(e, counted, struct{}{})
	h, err := served.Start(ctx, "a", 1)
	n.of("durable.Served.Start")(h.ID(), err)
	n.of("durable.Engine.Signal")(e.Signal(ctx, "a", "other", 1))
	n.of("durable.Handle.Signal")(h.Signal(ctx, "number", 5))
	n.of("durable.Handle.Wait")(h.Wait(ctx))
	n.of("durable.Handle.Cancel")(h.Cancel(ctx))
	n.of("durable.Engine.Cancel")(e.Cancel(ctx, "a"))
	n.of("durable.Engine.Terminate")(e.Terminate(ctx, "a"))
	n.of("durable.Engine.Resume")(e.Resume(ctx, "a"))
	i, err := e.Get(ctx, "a")
	n.of("durable.Engine.Get")(i.Status, err)
	price, err := durable.Query(ctx, e, "a", func(*durable.Instance) (int, error) { return 3, nil })
	n.of("durable.Query")(price, err)
	n.of("durable.Update")(durable.Update[int](ctx, e, "a", "number", 5))
	n.of("durable.Asked.Answer")(durable.Asked[int]{}.Answer(ctx, 5, nil))
	n.of("durable.Engine.Reset")(e.Reset(ctx, "a", "begin"))
	n.of("durable.All")(durable.All[int](ctx, durable.Call(counted, struct{}{}, 1)))
	n.of("durable.Any")(durable.Any[int](ctx, durable.Call(counted, struct{}{}, 1)))
	list, err := e.List(ctx, durable.Filter{})
	n.of("durable.Engine.List")(len(list), err)
	n.of("durable.Engine.Shutdown")(e.Shutdown(ctx))

	n.of("durable.Key")(durable.Key(ctx))
	n.of("durable.Attempt")(durable.Attempt(ctx))
	n.of("durable.Heartbeat")(durable.Heartbeat(ctx, 5))
	n.of("durable.Progress")(durable.Progress[int](ctx))
	n.of("durable.Tx")(durable.Tx(ctx, func(int) error { return nil }))
	n.of("durable.WithTransactor")(durable.Tx(durable.WithTransactor(ctx, nil), func(int) error { return nil }))
	n.of("durable.Receive")(durable.Receive[int](ctx, "number", time.Hour))
	n.of("durable.Sleep")(durable.Sleep(ctx, time.Hour))
	err = io.EOF
	durable.Compensate(ctx, &err, func(context.Context) error { return io.ErrUnexpectedEOF })
	n.of("durable.Compensate")(err)
	n.of("durable.NoDeferred.Undo")(durable.NoDeferred{}.Undo(ctx, 1, nil))
	n.of("durabletest.Plain")(durable.Receive[int](durabletest.Plain(ctx, durabletest.Signal{Name: "number", Value: 4}), "number", time.Hour))
	n.of("durabletest.Simulated")(refused(func() { durabletest.Simulated(ctx) }))
	n.of("durable.WithPlain")(durable.Sleep(durable.WithPlain(ctx, nil), time.Hour))
}

// refused returns the value of f's panic.
func refused(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
