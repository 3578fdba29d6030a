package job_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

func ExampleScope() {
	sum := func(ctx context.Context, numbers []int) (int64, error) {
		s := job.NewScope(ctx)
		defer s.Close() // no child outlives this function
		var total atomic.Int64
		for _, n := range numbers {
			s.Go(func(context.Context) error {
				if n < 0 {
					return fmt.Errorf("negative: %d", n)
				}
				total.Add(int64(n))
				return nil
			})
		}
		err := s.Wait()
		return total.Load(), err
	}
	fmt.Println(sum(context.Background(), []int{1, 2, 3}))
	_, err := sum(context.Background(), []int{-5})
	fmt.Println(err)
	// Output:
	// 6 <nil>
	// negative: -5
}

func ExampleNewScope() {
	s := job.NewScope(context.Background(), job.Named("upload"))
	s.Go(func(ctx context.Context) error {
		<-ctx.Done() // the other's failure cancels this one
		return ctx.Err()
	})
	s.Go(func(context.Context) error { return errors.New("disk full") })
	fmt.Println(s.Wait())
	fmt.Println(s.Go(func(context.Context) error { return nil }), "after the end")
	// Output:
	// disk full
	// false after the end
}

func ExampleSupervisor() {
	s := job.NewScope(context.Background(), job.Supervisor())
	done := make(chan struct{})
	s.Go(func(context.Context) error { defer close(done); return errors.New("one fails") })
	s.Go(func(ctx context.Context) error { <-done; fmt.Println("the other continues:", ctx.Err()); return nil })
	fmt.Println(s.Wait())
	// Output:
	// the other continues: <nil>
	// one fails
}

func ExampleSpawn() {
	s := job.NewScope(context.Background())
	defer s.Close()
	a := job.Spawn(s, func(context.Context) (int, error) { return 6, nil })
	b := job.Spawn(s, func(context.Context) (int, error) { return 7, nil })
	if err := s.Wait(); err != nil {
		return
	}
	x, _ := a.GetResult()
	y, _ := b.GetResult()
	fmt.Println(x * y)
	// Output: 42
}

func ExampleScope_Cancel() {
	s := job.NewScope(context.Background())
	s.Go(func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
	s.Cancel(errors.New("enough"))
	fmt.Println(s.Wait())
	// Output: context canceled: enough
}

func ExampleScope_WaitAsync() {
	s := job.NewScope(context.Background())
	s.Go(func(context.Context) error { return nil })
	j := s.WaitAsync()
	_, err := j.Await()
	fmt.Println(j.Status(), err)
	// Output: Completed <nil>
}

func ExampleInScope() {
	err := job.InScope(context.Background(), func(ctx context.Context, s *job.Scope) error {
		answer := job.Spawn(s, func(context.Context) (int, error) { return 42, nil })
		v, err := answer.Wait(ctx)
		fmt.Println(v)
		return err
	})
	fmt.Println(err)
	// Output:
	// 42
	// <nil>
}

func ExampleInScopeAsync() {
	j := job.InScopeAsync(context.Background(), func(_ context.Context, s *job.Scope) error {
		s.Go(func(context.Context) error { return errors.New("a child failed") })
		return nil
	})
	_, err := j.Await()
	fmt.Println(err)
	// Output: a child failed
}

// At most two children are in flight, whatever they wait for.
func ExampleScope_Limit() {
	err := job.InScope(context.Background(), func(_ context.Context, s *job.Scope) error {
		s.Limit(2)
		var inFlight atomic.Int64
		for range 100 {
			s.Go(func(ctx context.Context) error {
				if n := inFlight.Add(1); n > 2 {
					return fmt.Errorf("%d in flight", n)
				}
				defer inFlight.Add(-1)
				return job.Sleep(ctx, time.Microsecond)
			})
		}
		return nil
	})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleScope_Start() {
	var lanes coord.Serial[string]
	s := job.NewScope(context.Background())
	defer s.Close()
	for i := range 3 {
		s.Start(func(ctx context.Context) *job.Job[job.Void] { // Go would not keep the order
			return lanes.DoAsync(ctx, "Ann", func(context.Context) error {
				fmt.Println("to Ann:", i)
				return nil
			})
		})
	}
	fmt.Println(s.Wait())
	// Output:
	// to Ann: 0
	// to Ann: 1
	// to Ann: 2
	// <nil>
}
