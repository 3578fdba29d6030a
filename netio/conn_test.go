package netio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// past is a deadline that is over.
var past = time.Unix(1, 0)

func TestReadableHoldsNoBufferAndLeavesTheData(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		j := b.ReadableAsync(context.Background())
		assert.False(t, j.IsCompleted())
		_, err := a.Write([]byte("hello"))
		require.NoError(t, err)
		_, err = j.Await()
		require.NoError(t, err)
		require.NoError(t, b.Readable(context.Background()), "it stays readable")
		got := make([]byte, 5)
		n, err := b.ReadFull(got)
		require.NoError(t, err)
		assert.Equal(t, "hello", string(got[:n]))
	})
}

func TestReadableEndsWithItsContextAndAgainLater(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		j := b.ReadableAsync(ctx)
		cancel(cause)
		_, err := j.Await()
		require.ErrorIs(t, err, cause)
		assert.Equal(t, job.Canceled, j.Status())
		require.ErrorIs(t, b.Readable(ctx), cause, "a context that has ended")

		_, err = a.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, b.Readable(context.Background()))
		one := make([]byte, 2)
		n, err := b.Read(one)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
	})
}

func TestReadableSeesTheEnd(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		require.NoError(t, a.CloseWrite())
		require.NoError(t, b.Readable(context.Background()))
		_, err := b.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		_, err = b.Write([]byte("the other half is open"))
		require.NoError(t, err)
	})
}

func TestReadFull(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		got := make([]byte, 6)
		j := b.ReadFullAsync(got)
		for _, part := range []string{"ab", "cd", "ef"} {
			assert.False(t, j.IsCompleted())
			_, err := a.Write([]byte(part))
			require.NoError(t, err)
		}
		n, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, "abcdef", string(got[:n]))

		_, err = a.Write([]byte("xyz"))
		require.NoError(t, err)
		require.NoError(t, a.CloseWrite())
		n, err = b.ReadFull(got)
		assert.Equal(t, 3, n)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		n, err = b.ReadFull(got)
		assert.Equal(t, 0, n)
		require.ErrorIs(t, err, io.EOF)
		n, err = b.ReadFull(nil)
		assert.Equal(t, 0, n)
		require.NoError(t, err)
	})
}

func TestCloseWriteComesAfterTheWritesBeforeIt(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		big := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // larger than what the system keeps
		written := a.WriteAsync(big)
		shut := a.CloseWriteAsync()
		assert.False(t, written.IsCompleted())
		assert.False(t, shut.IsCompleted())
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(big, got))
		n, err := written.Await()
		require.NoError(t, err)
		assert.Equal(t, len(big), n)
		_, err = shut.Await()
		require.NoError(t, err)
		_, err = a.Write([]byte("x"))
		require.Error(t, err)
	})
}

func TestTenWritersAreNotMixed(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		onProcs(t, func(t *testing.T) {
			a, b := pipe(t, network)
			const size = 1 << 19
			var writers sync.WaitGroup
			for i := range 10 {
				block := bytes.Repeat([]byte{byte('0' + i)}, size)
				writers.Go(func() {
					var err error
					if i%2 == 0 {
						_, err = a.Write(block)
					} else {
						_, err = a.WriteAsync(block).Await()
					}
					assert.NoError(t, err)
				})
			}
			block := make([]byte, size)
			seen := map[byte]bool{}
			for range 10 {
				_, err := b.ReadFull(block)
				require.NoError(t, err)
				require.Equal(t, size, bytes.Count(block, block[:1]), "one writer's bytes only")
				seen[block[0]] = true
			}
			writers.Wait()
			assert.Len(t, seen, 10)
		})
	})
}

func TestTenReadersAreServedInTheirOrder(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		var jobs [10]*job.Job[int]
		var got [10][2]byte
		for i := range jobs {
			jobs[i] = b.ReadFullAsync(got[i][:])
		}
		_, err := a.Write([]byte("00112233445566778899"))
		require.NoError(t, err)
		for i, j := range jobs {
			_, err := j.Await()
			require.NoError(t, err)
			assert.Equal(t, [2]byte{byte('0' + i), byte('0' + i)}, got[i])
		}
	})
}

func TestAPastDeadlineReturnsNothingThoughDataAreThere(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		_, err := a.Write([]byte("data"))
		require.NoError(t, err)
		require.NoError(t, b.Readable(context.Background()))
		require.NoError(t, b.SetReadDeadline(past))
		got := make([]byte, 8)
		for _, read := range []func([]byte) (int, error){b.Read, b.ReadFull, func(p []byte) (int, error) { return b.ReadAsync(p).Await() }} {
			n, err := read(got)
			assert.Equal(t, 0, n)
			timeout, ok := err.(net.Error)
			require.True(t, ok, "a net.Error as it stands: %T", err)
			assert.True(t, timeout.Timeout())
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		}
		require.ErrorIs(t, b.Readable(context.Background()), os.ErrDeadlineExceeded)
		require.NoError(t, b.SetReadDeadline(time.Time{}))
		n, err := b.ReadFull(got[:4])
		require.NoError(t, err)
		assert.Equal(t, "data", string(got[:n]))
	})
}

func TestADeadlineEndsWhatWaits(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		for name, until := range map[string]func() time.Time{
			"past":   func() time.Time { return past },
			"coming": func() time.Time { return time.Now().Add(time.Millisecond) },
		} {
			t.Run(name, func(t *testing.T) {
				reads := []*job.Job[int]{b.ReadAsync(make([]byte, 1)), b.ReadFullAsync(make([]byte, 2))}
				look := b.ReadableAsync(context.Background())
				require.NoError(t, b.SetDeadline(time.Now().Add(time.Hour)))
				require.NoError(t, b.SetDeadline(until()))
				for _, j := range reads {
					_, err := j.Await()
					require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				}
				_, err := look.Await()
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)

				require.NoError(t, b.SetDeadline(time.Time{}))
				_, err = a.Write([]byte("x"))
				require.NoError(t, err)
				n, err := b.Read(make([]byte, 1))
				require.NoError(t, err, "the connection is usable")
				assert.Equal(t, 1, n)
			})
		}
	})
}

func TestADeadlineThatMovesOnDoesNotEndWhatWaits(t *testing.T) {
	a, b := pipe(t, "tcp")
	require.NoError(t, b.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	got := make([]byte, 1)
	j := b.ReadAsync(got) // the timer is armed for the first deadline
	require.NoError(t, b.SetReadDeadline(time.Now().Add(time.Hour)))
	require.NoError(t, job.Sleep(context.Background(), 100*time.Millisecond)) // it fires too early
	assert.False(t, j.IsCompleted())
	_, err := a.Write([]byte("x"))
	require.NoError(t, err)
	_, err = j.Await()
	require.NoError(t, err)
}

// An operation arms the timer for a deadline that is far away, and ends in time. Then the
// deadline moves near, while nothing waits.
func TestADeadlineThatComesNearerBetweenTwoWaits(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		require.NoError(t, b.SetDeadline(time.Now().Add(time.Hour)))
		read := b.ReadAsync(make([]byte, 1))
		_, err := a.Write([]byte("x"))
		require.NoError(t, err)
		_, err = read.Wait(ctx)
		require.NoError(t, err)
		large := make([]byte, 16<<20) // more than the system keeps
		write := b.WriteAsync(large)
		_, err = a.ReadFullAsync(make([]byte, len(large))).Wait(ctx)
		require.NoError(t, err)
		_, err = write.Wait(ctx)
		require.NoError(t, err)

		require.NoError(t, b.SetDeadline(time.Now().Add(time.Millisecond)))
		_, err = b.ReadAsync(make([]byte, 1)).Wait(ctx)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, b.SetWriteDeadline(time.Now().Add(time.Millisecond)))
		_, err = b.WriteAsync(large).Wait(ctx)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
}

func TestAWriteEndsAtItsDeadline(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		big := make([]byte, 1<<24)
		j := a.WriteAsync(big)
		require.NoError(t, b.Readable(context.Background()), "it has begun")
		require.NoError(t, a.SetWriteDeadline(past))
		n, err := j.Await()
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Positive(t, n)
		assert.Less(t, n, len(big))
	})
}

func TestCloseWakesAllWaiters(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		onProcs(t, func(t *testing.T) {
			a, b := pipe(t, network)
			var jobs []*job.Job[int]
			for range 5 {
				jobs = append(jobs, b.ReadAsync(make([]byte, 1)), b.WriteAsync(make([]byte, 1<<23)))
			}
			look, shut := b.ReadableAsync(context.Background()), b.CloseWriteAsync()
			var blocked sync.WaitGroup
			for range 3 {
				blocked.Go(func() {
					_, err := b.Read(make([]byte, 1))
					assert.ErrorIs(t, err, net.ErrClosed)
				})
			}
			require.NoError(t, b.Close())
			for _, j := range jobs {
				_, err := j.Await()
				require.ErrorIs(t, err, net.ErrClosed)
			}
			_, err := look.Await()
			require.ErrorIs(t, err, net.ErrClosed)
			_, err = shut.Await()
			require.ErrorIs(t, err, net.ErrClosed)
			blocked.Wait()

			_, err = b.Read(make([]byte, 1))
			require.ErrorIs(t, err, net.ErrClosed)
			require.ErrorIs(t, b.SetDeadline(past), net.ErrClosed)
			require.ErrorIs(t, b.Close(), net.ErrClosed)
			assert.NotNil(t, b.RemoteAddr())
			require.NoError(t, a.Close())
		})
	})
}

func TestAResetIsAnErrorOfTheNextRead(t *testing.T) {
	a, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = a.Close() }()
	c, err := netio.Dial(context.Background(), "tcp", a.Addr().String())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	peer, err := a.Accept()
	require.NoError(t, err)
	require.NoError(t, peer.(*net.TCPConn).SetLinger(0))
	require.NoError(t, peer.Close()) // a reset
	require.NoError(t, c.Readable(context.Background()))
	_, err = c.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF, "Readable has not eaten the error")
}

// A deadline beyond what the clock can count is none.
func TestADeadlineInAThousandYearsDoesNotEndAtOnce(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		for _, years := range []int{200, 291, 400, 1000} {
			a, b := pipe(t, network)
			require.NoError(t, b.SetDeadline(time.Now().AddDate(years, 0, 0)))
			j := b.ReadableAsync(context.Background())
			_, err := a.Write([]byte("x"))
			require.NoError(t, err)
			_, err = j.Await()
			require.NoError(t, err, "%d years", years)
		}
	})
}
