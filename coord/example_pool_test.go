package coord_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

func ExampleObjectPool() {
	ctx := context.Background()
	lines := 0
	dial := func(context.Context) *job.Job[string] { // usually the twin of an annotated function
		lines++
		return job.FromResult(fmt.Sprint("line ", lines))
	}
	p := coord.NewObjectPool(2, dial, coord.OnDiscard(func(line string) { fmt.Println("closed:", line) }))
	defer p.Close()

	a, _ := p.Get(ctx)
	b, _ := p.Get(ctx)
	waiting := p.GetAsync(ctx) // both are out
	p.Discard(a)               // it is broken: the caller that waits makes another
	c, err := waiting.Wait(ctx)
	fmt.Println(b, c, err)
	p.Put(b)
	p.Put(c)

	err = p.Use(ctx, func(_ context.Context, line string) error {
		return fmt.Errorf("%s: no answer: %w", line, coord.ErrBroken)
	})
	fmt.Println(err)
	// Output:
	// closed: line 1
	// line 2 line 3 <nil>
	// closed: line 3
	// line 3: no answer: coord: the object is broken
	// closed: line 2
}

func ExampleSelect() {
	ctx := context.Background()
	urgent, normal := coord.NewUnbounded[string](), coord.NewUnbounded[string]()
	_ = normal.TrySend("write a report")
	_ = urgent.TrySend("put out the fire")

	for range 3 {
		var task string
		switch i, err := coord.Select(ctx,
			coord.OnReceive(urgent, &task), // first, if both have a task
			coord.OnReceive(normal, &task),
			coord.OnTimeout(time.Millisecond),
		); i {
		case 0, 1:
			fmt.Println(task, err)
		case 2:
			fmt.Println("nothing to do")
		}
	}
	// Output:
	// put out the fire <nil>
	// write a report <nil>
	// nothing to do
}
