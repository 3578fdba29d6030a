package job

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// The cost of each operation alone: the scheduler is a single slot that costs nothing.
func BenchmarkOperation(b *testing.B) {
	s := &slot{}
	ctx := schedulers.With(context.Background(), s)
	cancelable, cancel := context.WithCancel(ctx)
	defer cancel()
	one := constant(1, nil)
	done := FromResult(1)
	follow := func(context.Context, *Job[int]) (int, error) { return 1, nil }
	var pending [100]*Job[int]
	for i := range pending {
		pending[i] = NewSource[int]().Job()
	}
	bench := func(name string, op func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				op()
			}
		})
	}
	bench("Run", func() { Run(ctx, one); s.run() })
	bench("RunInACancelableContext", func() { Run(cancelable, one); s.run() })
	bench("AwaitCompleted", func() { _, _ = done.Await() })
	bench("Source", func() { NewSource[int]().TrySetResult(1) })
	bench("ContinueWith", func() {
		src := NewSource[int]()
		ContinueWith(ctx, src.Job(), follow)
		src.TrySetResult(1)
		s.run()
	})
	bench("ContinueWithInACancelableContext", func() {
		src := NewSource[int]()
		ContinueWith(cancelable, src.Job(), follow)
		src.TrySetResult(1)
		s.run()
	})
	bench("ContinueWithSynchronously", func() {
		j := Run(ctx, one)
		ContinueWith(ctx, j, follow, RunSynchronously())
		s.run()
	})
	bench("WhenAll100", func() {
		src := NewSource[int]()
		all := hundred
		all[0] = src.Job()
		WhenAll(all[:]...)
		src.TrySetResult(1)
	})
	bench("WhenAny100", func() {
		src := NewSource[int]()
		pending[99] = src.Job()
		WhenAny(pending[:]...)
		src.TrySetResult(1)
	})
	scope := NewScope(ctx)
	bench("ScopeGo", func() { scope.Go(doNothing); s.run() })
	bench("ScopeSpawn", func() { Spawn(scope, one); s.run() })
	bench("Panic", func() {
		Run(ctx, func(context.Context) (int, error) { panic("ouch") })
		s.run()
	})
}

// The cost of a hook for unobserved failures to each source, which then has a cleanup.
func BenchmarkSourceWhileFailuresAreReported(b *testing.B) {
	for _, hook := range []func(Failure){nil, func(Failure) {}} {
		name := "hook"
		if hook == nil {
			name = "no hook"
		}
		b.Run(name, func(b *testing.B) {
			before := OnUnobserved(hook)
			defer func() { OnUnobserved(before) }()
			b.ReportAllocs()
			for range b.N {
				NewSource[int]().TrySetResult(1)
			}
		})
	}
}

func BenchmarkRunAndWaitOnAPool(b *testing.B) {
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	b.ReportAllocs()
	for range b.N {
		_, _ = Run(ctx, constant(1, nil)).Wait(ctx)
	}
	_ = p.Shutdown(context.Background())
}

func BenchmarkSleepers(b *testing.B) {
	p := pool.New()
	ctx, cancel := context.WithCancel(schedulers.With(context.Background(), p))
	b.ReportAllocs()
	for range b.N {
		SleepAsync(ctx, time.Hour)
	}
	cancel()
	_ = p.Shutdown(context.Background())
}

// A fan-out of a thousand empty children: how much one of them costs.
func BenchmarkFanOut(b *testing.B) {
	const width = 1000
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	nothing := func(context.Context) error { return nil }
	inJob := func(b *testing.B, f func(ctx context.Context)) {
		b.ReportAllocs()
		_, _ = Go(ctx, func(ctx context.Context) error {
			for range b.N / width {
				f(ctx)
			}
			return nil
		}).Wait(context.Background())
	}
	b.Run("Scope", func(b *testing.B) {
		inJob(b, func(ctx context.Context) {
			s := NewScope(ctx)
			for range width {
				s.Go(nothing)
			}
			_ = s.Wait()
		})
	})
	b.Run("ScopeWithHandles", func(b *testing.B) {
		one := constant(1, nil)
		inJob(b, func(ctx context.Context) {
			s := NewScope(ctx)
			for range width {
				Spawn(s, one)
			}
			_ = s.Wait()
		})
	})
	b.Run("WhenAll", func(b *testing.B) {
		inJob(b, func(ctx context.Context) {
			jobs := make([]*Job[Void], width)
			for i := range jobs {
				jobs[i] = Go(ctx, nothing)
			}
			_, _ = WhenAll(jobs...).Wait(ctx)
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		inJob(b, func(ctx context.Context) {
			var wg sync.WaitGroup
			for range width {
				wg.Go(func() { _ = nothing(ctx) })
			}
			wg.Wait()
		})
	})
	_ = p.Shutdown(context.Background())
}
