package main

import (
	"context"
	"errors"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/movenext/movenext/docs/howto/code/grpc/prices"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// shop implements the service. Its backends answer after a while.
type shop struct {
	prices.UnimplementedPricesServer

	cents map[string]int64
	wait  func(ctx context.Context) *job.Job[job.Void] // for a backend's answer
}

// Total implements prices.PricesServer. The goroutine that grpc has made for the call
// waits. The machines hold none.
func (s *shop) Total(ctx context.Context, goods *prices.Goods) (*prices.Price, error) {
	cents, err := s.totalAsync(ctx, goods.GetNames()).Wait(ctx)
	if err != nil {
		return nil, err
	}
	return &prices.Price{Cents: cents}, nil
}

// total asks for all prices at once. The first failure cancels the others.
//
//movenext:async
func (s *shop) total(ctx context.Context, names []string) (sum int64, err error) {
	found := make([]int64, len(names))
	err = job.InScope(ctx, func(_ context.Context, scope *job.Scope) error {
		for i, name := range names {
			scope.Go(func(ctx context.Context) (err error) {
				found[i], err = s.price(ctx, name)
				return err
			})
		}
		return nil
	})
	for _, cents := range found {
		sum += cents
	}
	return sum, err
}

// price asks a backend.
//
//movenext:async
func (s *shop) price(ctx context.Context, name string) (int64, error) {
	if _, err := s.wait(ctx).Await(); err != nil {
		return 0, err
	}
	cents, found := s.cents[name]
	if !found {
		return 0, status.Errorf(codes.NotFound, "no price for %s", name)
	}
	if cents < 0 {
		panic("a negative price")
	}
	return cents, nil
}

// Watch implements prices.PricesServer. The stream has a goroutine anyway, so the plain form of
// the sequence suffices: it waits in this loop.
func (s *shop) Watch(good *prices.Good, out grpc.ServerStreamingServer[prices.Price]) error {
	for cents, err := range s.changes(out.Context(), good.GetName()) {
		if err != nil {
			return err
		}
		if err := out.Send(&prices.Price{Cents: cents}); err != nil {
			return err
		}
	}
	return nil
}

// changes yields a price that rises by a cent at a time.
//
//movenext:async
func (s *shop) changes(ctx context.Context, name string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for rise := range int64(3) {
			cents, err := s.price(ctx, name)
			if !yield(cents+rise, err) || err != nil {
				return
			}
		}
	}
}

// fair is an interceptor: all work that a call starts runs in its tenant's share of the workers.
func fair(share func(tenant string) schedulers.Scheduler) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		tenant := "none"
		if md, ok := metadata.FromIncomingContext(ctx); ok && len(md.Get("tenant")) > 0 {
			tenant = md.Get("tenant")[0]
		}
		return handle(schedulers.With(ctx, share(tenant)), request)
	}
}

// codesOfJobs is an interceptor: it gives errors of jobs a code. Without it a panic has the
// code Unknown, and its text goes to the client.
func codesOfJobs(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	answer, err := handle(ctx, request)
	var crash *job.PanicError
	switch {
	case errors.As(err, &crash):
		return nil, status.Error(codes.Internal, "internal error") // and log it
	case err == nil || status.Code(err) != codes.Unknown:
		return answer, err
	default:
		return nil, status.FromContextError(err).Err() // Canceled, DeadlineExceeded, or Unknown
	}
}

// after is a backend that answers after a time.
func after(d time.Duration) func(context.Context) *job.Job[job.Void] {
	return func(ctx context.Context) *job.Job[job.Void] { return job.SleepAsync(ctx, d) }
}
