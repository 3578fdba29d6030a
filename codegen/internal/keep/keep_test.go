package keep_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/keep"
	"github.com/movenext/movenext/codegen/internal/lower"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	job = `package job // import "github.com/movenext/movenext/job"

type Job[T any] struct{}
type Void = struct{}
func (*Job[T]) Await() (T, error) { panic(0) }
func Yield() error { return nil }
`

	machine = `package statemachine // import "github.com/movenext/movenext/statemachine"

type Run struct{}
type Waiting[T any] struct{}
func (*Waiting[T]) Results(r *Run) (T, error) { panic(0) }
type WaitingVoid[T any] struct{}
func (*WaitingVoid[T]) Results(r *Run) error { return nil }
`

	channels = `package coord // import "github.com/movenext/movenext/coord"

import (
	"context"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

type Channel[T any] struct{}
func (*Channel[T]) Send(ctx context.Context, v T) error { return nil }
func (*Channel[T]) SendAsync(ctx context.Context, v T) *job.Job[job.Void] { return nil }
func (*Channel[T]) SendEnter(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) { return nil, nil }
func (*Channel[T]) SendEnterSoon(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) { return nil, nil }
func (*Channel[T]) Receive(ctx context.Context) (v T, err error) { return v, nil }
func (*Channel[T]) ReceiveAsync(ctx context.Context) *job.Job[T] { return nil }
func (*Channel[T]) ReceiveEnter(r *statemachine.Run, ctx context.Context) (e *statemachine.Waiting[T], v T, err error) { return nil, v, nil }
func (*Channel[T]) ReceiveEnterSoon(r *statemachine.Run, ctx context.Context) (e *statemachine.Waiting[T], v T, err error) { return nil, v, nil }
`

	declared = `package p

import (
	"context"
	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

var _ = job.Yield
var flag bool
func use(...any) {}
func pure() int { return 1 }

func f(ctx context.Context, in, out *coord.Channel[int], told chan int, list []int) error {
`
)

// cases are bodies of f. The comment //+ marks the calls that qualify, and //p the returns before
// which generated code publishes.
var cases = map[string]string{
	"an answer": `
		for {
			v, err := in.Receive(ctx) //+
			if err != nil {
				return err //p
			}
			if err := out.Send(ctx, v+1); err != nil { //+
				return err //p
			}
		}`,
	"a question": `
		for i := range 3 {
			if err := out.Send(ctx, i); err != nil { //+
				return err //p
			}
			v, err := in.Receive(ctx) //+
			if err != nil {
				return err //p
			}
			list[v] += i * 2
		}
		return nil //p`,
	"no wait follows": `
		return out.Send(ctx, 1)`,
	"a call follows": `
		_ = out.Send(ctx, 1)
		use()
		_, err := in.Receive(ctx)
		return err`,
	"an operand is a call": `
		_ = out.Send(ctx, 1)
		return out.Send(ctx, pure())`,
	"a call in a condition": `
		_ = out.Send(ctx, 1)
		if pure() > 0 {
			flag = true
		}
		_, err := in.Receive(ctx)
		return err`,
	"a call in a branch": `
		_ = out.Send(ctx, 1)
		if flag {
			list[0] = pure()
		}
		_, err := in.Receive(ctx)
		return err`,
	"a call before a return": `
		if err := out.Send(ctx, 1); err != nil {
			use(err)
			return err
		}
		_, err := in.Receive(ctx)
		return err`,
	"a call in the value of a return": `
		if err := out.Send(ctx, 1); flag {
			return func() error { return err }()
		}
		_, err := in.Receive(ctx)
		return err`,
	"a loop": `
		_ = out.Send(ctx, 1)
		for !flag {
		}
		_, err := in.Receive(ctx)
		return err`,
	"a loop over a list": `
		_ = out.Send(ctx, 1)
		for i := range list {
			list[i] = 0
		}
		_, err := in.Receive(ctx)
		return err`,
	"a loop that waits now and then": `
		_ = out.Send(ctx, 1)
		for !flag {
			if list[0] > 0 {
				_, _ = in.Receive(ctx)
			}
		}
		return nil`,
	"a goto": `
		_ = out.Send(ctx, 1)
	again:
		if !flag {
			goto again
		}
		_, err := in.Receive(ctx)
		return err`,
	"a channel of Go": `
		_ = out.Send(ctx, 1)
		<-told
		_, err := in.Receive(ctx)
		return err`,
	"a value from a channel of Go": `
		_ = out.Send(ctx, 1)
		list[0] = <-told
		_, err := in.Receive(ctx)
		return err`,
	"a send to a channel of Go": `
		_ = out.Send(ctx, 1)
		told <- 1
		_, err := in.Receive(ctx)
		return err`,
	"a select": `
		_ = out.Send(ctx, 1)
		select {
		case <-told:
		}
		_, err := in.Receive(ctx)
		return err`,
	"a goroutine": `
		_ = out.Send(ctx, 1)
		go use()
		_, err := in.Receive(ctx)
		return err`,
	"another wait": `
		_ = out.Send(ctx, 1)
		_ = job.Yield()
		_, err := in.Receive(ctx)
		return err`,
	"simple statements": `
		v := 1
		if err := out.Send(ctx, v); err != nil && flag || list[v:][0] == -3 { //+
			return err //p
		}
		v++
		if flag {
			v, list[0] = list[0], v
		}
		return out.Send(ctx, v)`,
	"a deferred call": `
		defer use()
		_ = out.Send(ctx, 1) //+
		_, err := in.Receive(ctx)
		return err`,
	"two ways to wait": `
		if flag {
			if err := out.Send(ctx, 1); err != nil { //+
				return err //p
			}
		} else if _, err := in.Receive(ctx); err != nil { //+
			return err //p
		}
		return out.Send(ctx, 2)`,
}

func TestWhichPeersMayBeKept(t *testing.T) {
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			text := declared + body + "\n}"
			p := testmodel.Package(text, job, machine, channels)
			fn := testmodel.Function(p, "f")
			facts := analyse.Function(fn, typetext.New(p, fn.File))
			require.Empty(t, facts.Findings)
			code := lower.Instructions(facts, lower.Options{}).Root.Code
			keep.Peers(code)
			want, got := map[int]bool{}, map[int]bool{}
			for n, line := range strings.Split(text, "\n") {
				if strings.HasSuffix(line, "//+") {
					want[n+1] = true
				}
			}
			for _, point := range ir.Points(code) {
				if point.Keeps {
					got[p.Fset.Position(point.Call).Line] = true
				}
			}
			assert.Equal(t, want, got)
			assert.Equal(t, strings.Count(body, "//p"), publishing(code))
		})
	}
}

// publishing counts the ends that publish.
func publishing(code []ir.Instr) (n int) {
	for _, i := range code {
		switch i := i.(type) {
		case *ir.Finish:
			if i.Publishes {
				n++
			}
		case *ir.Keep:
			for _, e := range i.Text.Edit {
				n += publishing(e.Code)
			}
		}
	}
	return n
}
