package retry_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
)

var (
	errBusy = errors.New("busy")
	errBad  = errors.New("bad request")
	errGone = errors.New("the client is gone")
)

// Instructions for a call of a server.
var (
	errWorks  = errors.New("the call succeeds")
	errPanics = errors.New("the call panics")
	errExits  = errors.New("the call exits")
	errStays  = errors.New("the call takes an hour")
	errLeaves = errors.New("the client goes away during the call")
)

// server fails as its script says, and then works.
type server struct {
	script []error
	takes  time.Duration // a call
	now    func() time.Duration
	leave  func()       // lets the client go away
	waits  atomic.Int32 // calls that have begun

	mu sync.Mutex
	at []time.Duration // when the calls began
}

func (s *server) next() (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = len(s.at)
	s.at = append(s.at, s.now())
	if n < len(s.script) {
		return n, s.script[n]
	}
	return n, errWorks
}

//movenext:async
func (s *server) call(ctx context.Context) (int, error) {
	n, err := s.next()
	pause := s.takes
	if err == errStays {
		pause = time.Hour
	}
	if err == errLeaves {
		s.leave()
	}
	s.waits.Add(1)
	if err := job.Sleep(ctx, pause); err != nil {
		return n, err
	}
	switch err {
	case errWorks, errStays:
		return n, nil
	case errPanics:
		panic("a bug")
	case errExits:
		runtime.Goexit()
	}
	return n, err
}

type serverKey struct{}

//movenext:async
func callServer(ctx context.Context) (int, error) {
	return ctx.Value(serverKey{}).(*server).call(ctx)
}

// caller is a way to call retry.Do or retry.Hedge.
type caller func(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error)

//movenext:async
func doLiteral(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error) {
	return retry.Do(ctx, p, func(ctx context.Context) (int, error) { return s.call(ctx) }, opts...)
}

//movenext:async
func doName(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error) {
	return retry.Do(context.WithValue(ctx, serverKey{}, s), p, callServer, opts...)
}

//movenext:async
func doMethod(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error) {
	return retry.Do(ctx, p, s.call, opts...)
}

//movenext:async
func hedgeMethod(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error) {
	return retry.Hedge(ctx, p, s.call, opts...)
}

// twin is a caller that starts a machine and waits as long as it runs, whatever becomes of ctx.
func twin(start starter) caller {
	return func(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) (int, error) {
		return start(ctx, s, p, opts...).Wait(context.WithoutCancel(ctx))
	}
}

// starter is a caller that is a machine.
type starter func(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) *job.Job[int]

var doers = map[string]caller{
	"plain":           doLiteral,
	"machine/literal": twin(doLiteralAsync),
	"machine/name":    twin(doNameAsync),
	"machine/method":  twin(doMethodAsync),
}

var hedgers = map[string]caller{"plain": hedgeMethod, "machine": twin(hedgeMethodAsync)}
