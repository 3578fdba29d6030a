package netio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// lines reads lines until an error.
//
//movenext:async
func lines(ctx context.Context, b *netio.Buffered, most int) (all []string, err error) {
	for {
		line, err := b.ReadLine(ctx, most)
		if err != nil {
			return append(all, string(line)), err
		}
		all = append(all, string(line))
	}
}

// inBothForms runs a function as plain Go and as a machine.
func inBothForms[T any](t *testing.T, plain func() (T, error), machine func() *job.Job[T], check func(t *testing.T, got T, err error)) {
	t.Helper()
	t.Run("plain", func(t *testing.T) { got, err := plain(); check(t, got, err) })
	t.Run("machine", func(t *testing.T) { got, err := machine().Await(); check(t, got, err) })
}

// sendPieces writes text in pieces of random sizes, and shuts the direction.
func sendPieces(c *netio.Conn, text string, random *rand.Rand) {
	for text != "" {
		n := min(len(text), 1+random.IntN(1+random.IntN(9000)))
		if _, err := c.Write([]byte(text[:n])); err != nil {
			return
		}
		text = text[n:]
	}
	_ = c.CloseWrite()
}

func TestLinesArriveWholeHoweverTheyAreSent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var want []string
	var text strings.Builder
	for i := range 300 {
		line := strings.Repeat(string(rune('a'+i%26)), random.IntN(1+random.IntN(10_000)))
		want = append(want, line)
		text.WriteString(line + []string{"\n", "\r\n"}[i%2])
	}
	onNetworks(t, func(t *testing.T, network string) {
		a, b := make([]*netio.Conn, 2), make([]*netio.Conn, 2)
		for i := range a {
			a[i], b[i] = pipe(t, network)
			sent := make(chan struct{})
			go func() { defer close(sent); sendPieces(a[i], text.String(), rand.New(rand.NewPCG(3, uint64(i)))) }()
			t.Cleanup(func() { _ = a[i].Close(); _ = b[i].Close(); <-sent })
		}
		inBothForms(t,
			func() ([]string, error) { return lines(t.Context(), netio.NewBuffered(b[0]), 10_000) },
			func() *job.Job[[]string] { return linesAsync(t.Context(), netio.NewBuffered(b[1]), 10_000) },
			func(t *testing.T, got []string, err error) {
				require.ErrorIs(t, err, io.EOF)
				assert.Equal(t, append(want[:len(want):len(want)], ""), got)
			})
	})
}

func TestLineLimitsAndEnds(t *testing.T) {
	cases := []struct {
		name, sent string
		want       []string
		err        error
	}{
		{"exactly the most", "12345\r\n12345\n", []string{"12345", "12345", ""}, io.EOF},
		{"one byte more", "1\n123456\n", []string{"1", ""}, netio.ErrLineTooLong},
		{"more without an end", "1\n" + strings.Repeat("x", 9000), []string{"1", ""}, netio.ErrLineTooLong},
		{"no end", "1\n2", []string{"1", "2"}, io.ErrUnexpectedEOF},
		{"a return inside", "a\rb\n", []string{"a\rb", ""}, io.EOF},
		{"empty lines", "\n\r\n", []string{"", "", ""}, io.EOF},
		{"nothing", "", []string{""}, io.EOF},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			open := func() *netio.Buffered {
				a, b := pipe(t, "tcp")
				_, err := a.Write([]byte(c.sent))
				require.NoError(t, err)
				require.NoError(t, a.CloseWrite())
				return netio.NewBuffered(b)
			}
			inBothForms(t,
				func() ([]string, error) { return lines(t.Context(), open(), 5) },
				func() *job.Job[[]string] { return linesAsync(t.Context(), open(), 5) },
				func(t *testing.T, got []string, err error) {
					require.ErrorIs(t, err, c.err)
					assert.Equal(t, c.want, got)
				})
		})
	}
}

func TestALineSurvivesTheEndOfAContext(t *testing.T) {
	a, c := pipe(t, "tcp")
	b := netio.NewBuffered(c, []byte("first\nsec")...)
	ctx, cancel := context.WithCancel(t.Context())
	line, err := b.ReadLine(ctx, 100)
	require.NoError(t, err)
	assert.Equal(t, "first", string(line))
	j := b.ReadLineAsync(ctx, 100)
	cancel()
	_, err = j.Await()
	require.ErrorIs(t, err, context.Canceled)

	_, err = a.Write([]byte("ond\nrest"))
	require.NoError(t, err)
	line, err = b.ReadLine(t.Context(), 100)
	require.NoError(t, err)
	assert.Equal(t, "second", string(line))
	part, err := b.Peek(t.Context(), 4)
	require.NoError(t, err)
	assert.Equal(t, "rest", string(part))
	assert.Equal(t, 4, b.Buffered())
	require.NoError(t, c.SetReadDeadline(past))
	_, err = b.Peek(t.Context(), 5)
	require.ErrorContains(t, err, "timeout")
	require.NoError(t, c.SetReadDeadline(time.Time{}))
	require.NoError(t, a.CloseWrite())
	all, err := io.ReadAll(b)
	require.NoError(t, err)
	assert.Equal(t, "rest", string(all))
}

// relay copies from one connection to another, and passes the end on.
//
//movenext:async
func relay(ctx context.Context, to, from *netio.Conn) (int64, error) {
	n, err := netio.Copy(ctx, to, from)
	if err == nil {
		err = to.CloseWrite()
	}
	return n, err
}

func TestCopyIsAProxy(t *testing.T) {
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(rand.IntN(256))
	}
	onNetworks(t, func(t *testing.T, network string) {
		for name, start := range map[string]func(ctx context.Context, to, from *netio.Conn) *job.Job[int64]{
			"machine": relayAsync,
			"plain": func(ctx context.Context, to, from *netio.Conn) *job.Job[int64] {
				return job.Run(ctx, func(ctx context.Context) (int64, error) { return relay(ctx, to, from) })
			},
		} {
			t.Run(name, func(t *testing.T) {
				client, front := pipe(t, network)
				back, server := pipe(t, network)
				j := start(t.Context(), back, front)
				go sendPieces(client, string(data), rand.New(rand.NewPCG(1, 1)))
				got, err := io.ReadAll(server)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(data, got))
				n, err := j.Await()
				require.NoError(t, err)
				assert.Equal(t, int64(len(data)), n)
			})
		}
	})
}

func TestACopyEndsWithItsContext(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		t.Run("idle", func(t *testing.T) {
			_, from := pipe(t, network)
			to, _ := pipe(t, network)
			ctx, cancel := context.WithCancel(t.Context())
			j := netio.CopyAsync(ctx, to, from)
			cancel()
			_, err := j.Await()
			require.ErrorIs(t, err, context.Canceled)
		})
		t.Run("in a write", func(t *testing.T) {
			client, from := pipe(t, network)
			to, peer := pipe(t, network) // the peer does not read
			ctx, cancel := context.WithCancel(t.Context())
			j := netio.CopyAsync(ctx, to, from)
			sent := client.WriteAllAsync(ctx, make([]byte, 1<<24)) // more than all buffers take
			require.NoError(t, peer.Readable(t.Context()), "the copy has begun")
			cancel()
			n, err := j.Await()
			require.ErrorIs(t, err, context.Canceled)
			assert.Positive(t, n)
			_, err = sent.Await()
			require.ErrorIs(t, err, context.Canceled)
		})
	})
}

func TestAWriteEndsWithItsContext(t *testing.T) {
	onNetworks(t, func(t *testing.T, network string) {
		a, b := pipe(t, network)
		require.NoError(t, a.SetWriteDeadline(time.Now().Add(time.Hour)))
		ctx, cancel := context.WithCancel(t.Context())
		j := a.WriteAllAsync(ctx, make([]byte, 1<<24))
		require.NoError(t, b.Readable(t.Context()), "it has begun")
		cancel()
		n, err := j.Await()
		require.ErrorIs(t, err, context.Canceled)
		assert.Positive(t, n)
		_, err = a.WriteAll(ctx, []byte("x"))
		require.ErrorIs(t, err, context.Canceled, "it has ended before")
		_, err = a.Write(nil)
		require.NoError(t, err, "it needs no room")

		_, err = b.ReadFull(make([]byte, n))
		require.NoError(t, err)
		m, err := a.WriteAll(t.Context(), []byte("still usable"))
		require.NoError(t, err)
		got := make([]byte, m)
		_, err = b.ReadFull(got)
		require.NoError(t, err)
		assert.Equal(t, "still usable", string(got))
	})
}

// sink is a writer that keeps what it is given, piece by piece.
type sink struct {
	pieces []string
	err    error
}

func (s *sink) Write(p []byte) (int, error) {
	s.pieces = append(s.pieces, string(p))
	return len(p), s.err
}

func (s *sink) WriteAsync(p []byte) *job.Job[int] {
	return job.Run(context.Background(), func(context.Context) (int, error) { return s.Write(p) })
}

// pour writes pieces, and flushes at the end.
//
//movenext:async
func pour(ctx context.Context, b *netio.BufferedWriter, pieces []string) (int, error) {
	total := 0
	for _, p := range pieces {
		n, err := b.Write([]byte(p))
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, b.Flush(ctx)
}

func TestSmallWritesAreOne(t *testing.T) {
	half, whole := strings.Repeat("h", 3000), strings.Repeat("w", 5000)
	pieces := []string{"a", "", "b", half, half, whole, "c"}
	var to sink
	inBothForms(t,
		func() (int, error) { return pour(t.Context(), netio.NewBufferedWriter(&to), pieces) },
		func() *job.Job[int] { return pourAsync(t.Context(), netio.NewBufferedWriter(&to), pieces) },
		func(t *testing.T, n int, err error) {
			require.NoError(t, err)
			assert.Equal(t, len(strings.Join(pieces, "")), n)
			assert.Equal(t, []string{"ab" + half, half, whole, "c"}, to.pieces)
			to.pieces = nil
		})
}

func TestAWriterThatFailedStaysSo(t *testing.T) {
	broken := errors.New("broken")
	to := &sink{err: broken}
	b := netio.NewBufferedWriter(to)
	_, err := b.Write([]byte("x"))
	require.NoError(t, err)
	require.ErrorIs(t, b.Flush(t.Context()), broken)
	_, err = b.Write([]byte("y"))
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, b.Flush(t.Context()), broken)
	assert.Len(t, to.pieces, 1)
	assert.Zero(t, b.Buffered())
}

// source is a reader without Readable.
type source struct{ io.Reader }

func (s source) ReadAsync(p []byte) *job.Job[int] {
	return job.Run(context.Background(), func(context.Context) (int, error) { return s.Read(p) })
}

func TestReadersAndWritersOfOthersWillDo(t *testing.T) {
	var to sink
	n, err := netio.CopyAsync(t.Context(), &to, netio.NewBuffered(source{strings.NewReader("from elsewhere")})).Await()
	require.NoError(t, err)
	assert.Equal(t, int64(14), n)
	assert.Equal(t, []string{"from elsewhere"}, to.pieces)

	broken := errors.New("broken")
	_, err = netio.Copy(t.Context(), &sink{err: broken}, source{strings.NewReader("x")})
	require.ErrorIs(t, err, broken)
	_, err = netio.Copy(t.Context(), &to, source{io.MultiReader(strings.NewReader("x"), failing{broken})})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = netio.Copy(ctx, &to, source{strings.NewReader("x")})
	require.ErrorIs(t, err, context.Canceled)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestALineMayBeAsLongAsAnIntSays(t *testing.T) {
	a, b := pipe(t, "tcp")
	go sendPieces(a, "hello\nworld\n", rand.New(rand.NewPCG(1, 2)))
	buffered := netio.NewBuffered(b)
	for _, want := range []string{"hello", "world"} {
		line, err := buffered.ReadLine(t.Context(), math.MaxInt)
		require.NoError(t, err)
		assert.Equal(t, want, string(line))
	}
}

// suspending is a reader and a writer whose plain forms must not be called. Each write writes all,
// and each read waits for the next text.
type suspending struct {
	texts []*job.Source[string]
	got   strings.Builder
}

func (*suspending) Read([]byte) (int, error)  { panic("the plain form was called") }
func (*suspending) Write([]byte) (int, error) { panic("the plain form was called") }

func (s *suspending) ReadAsync(p []byte) *job.Job[int] {
	if len(s.texts) == 0 {
		return job.FromError[int](io.EOF)
	}
	next := s.texts[0].Job()
	s.texts = s.texts[1:]
	return job.Then(context.Background(), next, func(_ context.Context, text string) (int, error) { return copy(p, text), nil })
}

func (s *suspending) WriteAsync(p []byte) *job.Job[int] {
	s.got.Write(p)
	return job.FromResult(len(p))
}

// Both forms of netio.AsyncReader come from different interfaces.
func TestMachinesCallTheAsynchronousFormsOfReadersOfOthers(t *testing.T) {
	machines := map[string]func(from, to *suspending) *job.Job[job.Void]{
		"copy": func(from, to *suspending) *job.Job[job.Void] {
			return job.Then(t.Context(), netio.CopyAsync(t.Context(), to, from), func(context.Context, int64) (job.Void, error) { return job.Void{}, nil })
		},
		"lines": func(from, to *suspending) *job.Job[job.Void] {
			return relayLinesAsync(t.Context(), netio.NewBuffered(from), netio.NewBufferedWriter(to))
		},
	}
	for name, start := range machines {
		t.Run(name, func(t *testing.T) {
			texts := []*job.Source[string]{job.NewSource[string](), job.NewSource[string]()}
			from, to := &suspending{texts: texts}, new(suspending)
			j := start(from, to)
			assert.False(t, j.IsCompleted(), "it waits, and has given its goroutine back")
			texts[0].TrySetResult("one\n")
			texts[1].TrySetResult("two\n")
			_, err := j.Await()
			require.NoError(t, err)
			assert.Equal(t, "one\ntwo\n", to.got.String())
		})
	}
}

// relayLines copies lines, and sends each at once.
//
//movenext:async
func relayLines(ctx context.Context, from *netio.Buffered, to *netio.BufferedWriter) error {
	for {
		line, err := from.ReadLine(ctx, 100)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return err
		}
		if err := to.Flush(ctx); err != nil {
			return err
		}
	}
}

// answers is one read and one write with these answers.
type answers struct {
	n           int
	read, write error
}

func (a *answers) Read([]byte) (int, error)          { return a.n, a.read }
func (a *answers) ReadAsync(p []byte) *job.Job[int]  { return answered(a.Read(p)) }
func (a *answers) Write(p []byte) (int, error)       { return len(p), a.write }
func (a *answers) WriteAsync(p []byte) *job.Job[int] { return answered(a.Write(p)) }
func answered(n int, err error) *job.Job[int] {
	s := job.NewSource[int]()
	if err == nil {
		s.TrySetResult(n)
	} else {
		s.TrySetError(err)
	}
	return s.Job()
}

// The end of the source is io.EOF of the source, and nothing that was joined to it.
func TestACopyEndsWithItsSourceAlone(t *testing.T) {
	errFlush := errors.New("flush")
	for name, row := range map[string]struct {
		with answers
		want error
	}{
		"the end":                  {answers{read: io.EOF}, nil},
		"the end, wrapped":         {answers{read: fmt.Errorf("read: %w", io.EOF)}, nil},
		"the end, and a failure":   {answers{read: errors.Join(io.EOF, errFlush)}, errFlush},
		"the panic of a read":      {answers{read: &job.PanicError{Value: io.EOF}}, io.EOF},
		"a write is refused":       {answers{n: 1, write: io.EOF}, io.EOF},
		"a write, and then no end": {answers{n: 1, read: errFlush}, errFlush},
	} {
		_, plain := netio.Copy(t.Context(), &row.with, &row.with)
		_, machine := netio.CopyAsync(t.Context(), &row.with, &row.with).Await()
		for _, err := range []error{plain, machine} {
			if row.want == nil {
				assert.NoError(t, err, name)
			} else {
				assert.ErrorIs(t, err, row.want, name)
			}
		}
	}
}
