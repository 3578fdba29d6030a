package durabletest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
)

// Signal is a signal that a test sends.
type Signal struct {
	Name  string
	Value any
}

// Plain returns a context under which the plain form of a durable function runs. Its steps are
// plain calls. Receive takes the next of the given signals with that name, and times out at once
// if there is none. Sleep does not wait. Plain panics if a signal cannot be saved.
func Plain(ctx context.Context, signals ...Signal) context.Context {
	p := &plain{}
	for _, s := range signals {
		payload, err := durable.EncodeSignal(s.Value)
		if err != nil {
			panic(err)
		}
		p.inbox = append(p.inbox, sent{s.Name, payload})
	}
	return gen.WithPlain(ctx, p)
}

type sent struct {
	name    string
	payload []byte
}

// plain is what the plain form waits for.
type plain struct {
	mu    sync.Mutex
	inbox []sent
}

func (p *plain) Receive(ctx context.Context, _ time.Duration, names ...string) (name string, payload []byte, err error) {
	if ctx.Err() != nil {
		return "", nil, durable.ErrCanceled
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.inbox {
		if slices.Contains(names, s.name) {
			p.inbox = append(p.inbox[:i:i], p.inbox[i+1:]...)
			return s.name, s.payload, nil
		}
	}
	return "", nil, durable.ErrTimeout
}

func (p *plain) Sleep(ctx context.Context, _ time.Duration) error {
	if ctx.Err() != nil {
		return durable.ErrCanceled
	}
	return nil
}
