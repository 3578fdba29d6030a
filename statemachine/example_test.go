package statemachine_test

import (
	"context"
	"fmt"
	"runtime/pprof"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// addFrame is the frame that the generator would make of
//
//	//movenext:async
//	func add(a, b *job.Job[int]) (int, error) {
//		x, err := a.Await()
//		if err != nil {
//			return 0, err
//		}
//		y, err := b.Await()
//		return x + y, err
//	}
type addFrame struct {
	statemachine.Frame
	a, b *job.Job[int]
	x    int
	sum  int
	err  error
}

func (f *addFrame) MoveNext(r *statemachine.Run) bool {
	state := f.State
	f.State = statemachine.Running
	fmt.Println("MoveNext from state", state)
	switch state {
	case statemachine.NotStarted:
	case 1:
		goto resume1
	case 2:
		goto resume2
	default:
		statemachine.Misuse(state)
	}
	if !f.a.IsCompleted() {
		f.State = 1
		return r.Await(f.a)
	}
resume1:
	if f.x, f.err = statemachine.JobResult(r, f.a); f.err != nil {
		f.State = statemachine.Finished
		return true
	}
	if !f.b.IsCompleted() {
		f.State = 2
		return r.Await(f.b)
	}
resume2:
	f.sum, f.err = statemachine.JobResult(r, f.b)
	f.sum += f.x
	f.State = statemachine.Finished
	return true
}

// addMachine is the root: chain, job and frame in one object.
type addMachine struct {
	statemachine.Builder[int]
	addFrame
}

// Root is for the runtime.
func (m *addMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *addMachine) MoveNext(r *statemachine.Run) bool {
	if !m.addFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, m.sum, m.err)
	return true
}

func addAsync(ctx context.Context, a, b *job.Job[int]) *job.Job[int] {
	var r statemachine.Run
	frame := addFrame{a: a, b: b}
	if frame.MoveNext(&r) {
		return statemachine.Completed(ctx, frame.sum, frame.err)
	}
	m := &addMachine{addFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

// A machine written by hand, like the one that the generator makes for a function with
// two awaits.
func Example() {
	ctx := context.Background()
	source := job.NewSource[int]()
	sum := addAsync(ctx, job.FromResult(40), source.Job())
	fmt.Println(sum.Status())
	source.TrySetResult(2)
	fmt.Println(sum.Wait(ctx))
	// Output:
	// MoveNext from state 0
	// WaitingForActivation
	// MoveNext from state 2
	// 42 <nil>
}

// countdownFrame is the frame that the generator would make of
//
//	//movenext:async
//	func countdown(from int) iter.Seq2[int, error] {
//		return func(yield func(int, error) bool) {
//			for i := from; i > 0; i-- {
//				if !yield(i, nil) {
//					return
//				}
//			}
//		}
//	}
type countdownFrame struct {
	statemachine.Producer[int]
	i int
}

func (f *countdownFrame) MoveNext(r *statemachine.Run) bool {
	state := f.State
	f.State = statemachine.Running
	if state != statemachine.NotStarted {
		if !f.Wanted(r) {
			f.State = statemachine.Finished
			return true
		}
		f.i--
	}
	if f.i == 0 {
		f.State = statemachine.Finished
		return true
	}
	f.Emit(f.i, nil)
	f.State = 1
	return true
}

// A stream's machine written by hand.
func ExampleStream() {
	s := statemachine.Stream(context.Background(), func(context.Context) statemachine.Iteration[int, error] {
		return &countdownFrame{i: 3}
	})
	for i, err := range s.All() {
		fmt.Println(i, err)
	}
	// Output:
	// 3 <nil>
	// 2 <nil>
	// 1 <nil>
}

// In -mode=plain a twin runs the function as it was written, on a goroutine.
func ExamplePlain() {
	ctx := context.Background()
	j := statemachine.Plain(ctx, func() (int, error) { return 42, nil })
	fmt.Println(j.Wait(ctx))
	// Output: 42 <nil>
}

func ExampleMisuse() {
	defer func() { fmt.Println(recover()) }()
	statemachine.Misuse(statemachine.Finished)
	// Output: statemachine: MoveNext called on a machine that has finished
}

func Example_waitingFrames() {
	source := job.NewSource[int]()
	sum := addAsync(context.Background(), source.Job(), job.FromResult(2))
	for _, f := range job.AsyncStack(source.Job())[1:] {
		fmt.Println(f.What)
	}
	source.TrySetResult(1)
	fmt.Println(sum.Await())
	// Output:
	// MoveNext from state 0
	// async function
	// MoveNext from state 1
	// 3 <nil>
}

// An entry for machines calls Proceed before it avoids a wait: every 1024th await of a
// run has to suspend.
func ExampleRun_Proceed() {
	var r statemachine.Run
	n := 1
	for r.Proceed() {
		n++
	}
	fmt.Println("await", n, "gives way")
	// Output: await 1024 gives way
}

// The calls by which a machine changes the labels of its async function.
func ExampleDoWithLabels() {
	var r statemachine.Run
	ctx := context.Background()
	statemachine.DoWithLabels(&r, ctx, pprof.Labels("tenant", "blue"), func(ctx context.Context) {
		fmt.Println(labelsHere())
		statemachine.SetGoroutineLabels(&r, tenant(ctx, "red"))
		fmt.Println(labelsHere())
	})
	fmt.Println(labelsHere())
	// Output:
	// blue
	// red
	// none
}
