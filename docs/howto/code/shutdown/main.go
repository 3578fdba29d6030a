// A service that ends in order: it takes no more requests, finishes those that it has, and at the
// end of its patience cancels the remaining ones.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
)

// errStopping is why requests are refused, and canceled in the end.
var errStopping = errors.New("the service stops")

// service runs requests in a scope. The scope's context is not that of a signal:
// requests outlive the signal until patience ends.
type service struct {
	requests *job.Scope
	stopping atomic.Bool
}

// handle starts a request, unless the service stops.
//
//movenext:async
func (s *service) handle(name string, long time.Duration) error {
	if s.stopping.Load() {
		return errStopping
	}
	s.requests.Go(func(ctx context.Context) error { return request(ctx, name, long) })
	return nil
}

// stop refuses new requests and waits for those in flight. When patience has passed it
// cancels them, and waits until they have cleaned up.
//
//movenext:async
func (s *service) stop(ctx context.Context, patience time.Duration) error {
	s.stopping.Store(true)
	ended := s.requests.WaitAsync()
	_, err := job.WaitTimeout(ctx, ended, patience).Await()
	if errors.Is(err, context.DeadlineExceeded) {
		s.requests.Cancel(errStopping)
		_, err = ended.Await()
	}
	return err
}

// request takes the given time, and always cleans up.
//
//movenext:async
func request(ctx context.Context, name string, long time.Duration) error {
	defer fmt.Println(" ", name, "has cleaned up")
	err := job.Sleep(ctx, long)
	if err != nil {
		fmt.Println(" ", name, "is canceled:", context.Cause(ctx))
	}
	return err
}

// life does what main does in a server, with signal.NotifyContext before stop.
//
//movenext:async
func life(ctx context.Context) error {
	s := &service{requests: job.NewScope(context.WithoutCancel(ctx), job.Supervisor())}
	for name, long := range map[string]time.Duration{"a short request": time.Millisecond, "a long request": time.Hour} {
		if err := s.handle(name, long); err != nil {
			return err
		}
	}
	fmt.Println("the signal arrives")
	err := s.stop(ctx, time.Second)
	fmt.Println("a late request:", s.handle("late", time.Second))
	return err
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-serve" {
		l, err := net.Listen("tcp", "localhost:8080")
		if err == nil {
			err = untilSignal(l, http.HandlerFunc(page))
		}
		fmt.Println(err)
		return
	}
	_, err := lifeAsync(context.Background()).Wait(context.Background())
	fmt.Println("stopped:", err)
}
