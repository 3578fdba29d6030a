package coord_test

import (
	"context"
	"testing"

	"github.com/movenext/movenext/coord"
)

// answer answers what it receives until the channel is closed, and returns the last of it.
//
//movenext:async
func answer(ctx context.Context, in, out *coord.Channel[int]) (last int, err error) {
	defer out.Close()
	for {
		v, err := in.Receive(ctx)
		if err != nil {
			return last, err
		}
		last = v
		if err := out.Send(ctx, v+1); err != nil {
			return last, err
		}
	}
}

// question sends n values, and waits for each answer.
//
//movenext:async
func question(ctx context.Context, out, in *coord.Channel[int], n int) (sum int, err error) {
	defer out.Close()
	for i := range n {
		if err := out.Send(ctx, i); err != nil {
			return sum, err
		}
		v, err := in.Receive(ctx)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

// BenchmarkPingPong exchanges values between two machines, and between two goroutines that
// also wait for the context, with contexts that can end and with contexts that cannot.
func BenchmarkPingPong(b *testing.B) {
	for _, c := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
	}{
		{"Background", func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }},
		{"WithCancel", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }},
	} {
		b.Run("machines/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx, cancel := c.ctx()
			defer cancel()
			to, from := coord.NewRendezvous[int](), coord.NewRendezvous[int]()
			server := answerAsync(ctx, to, from)
			if _, err := questionAsync(ctx, to, from, b.N).Wait(context.Background()); err != nil {
				b.Fatal(err)
			}
			_, _ = server.Wait(context.Background()) // the channel was closed
		})
		b.Run("goroutines/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx, cancel := c.ctx()
			defer cancel()
			to, from := make(chan int), make(chan int)
			go func() {
				defer close(from)
				for v := range to {
					select {
					case from <- v + 1:
					case <-ctx.Done():
						return
					}
				}
			}()
			defer close(to)
			for i := range b.N {
				select {
				case to <- i:
				case <-ctx.Done():
				}
				select {
				case <-from:
				case <-ctx.Done():
				}
			}
		})
	}
}
