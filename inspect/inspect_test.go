package inspect_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		hangForever()
		return
	}
	goleak.VerifyTestMain(m)
}

// lines are the lines of stuck_test.go with a comment "place: name".
func lines(t *testing.T) map[string]string {
	f, err := os.Open("stuck_test.go")
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	at := map[string]string{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if _, name, ok := strings.Cut(s.Text(), "// place: "); ok {
			at[name] = fmt.Sprintf("stuck_test.go:%d", n)
		}
	}
	require.NoError(t, s.Err())
	return at
}

// counts are how many machines hang at each mark.
var counts = map[string]int{"source": 4000, "lock": 2500, "channel": 1500, "event": 1000, "sleep": 998, "left": 1, "right": 1}

// hang starts 10 000 machines and waits until all are suspended. end lets them end.
func hang(t testing.TB) (left, right job.Handle, end func()) {
	s := newStuck()
	ctx, cancel := context.WithCancel(context.Background())
	var jobs []job.Handle
	start := func(j job.Handle) { jobs = append(jobs, j) }
	l, r := s.leftAsync(ctx), s.rightAsync(ctx)
	start(l)
	start(r)
	for !suspended("left", "right") {
		runtime.Gosched()
	}
	for place, n := range counts {
		for range n {
			switch place {
			case "source":
				start(s.forSourceAsync(ctx))
			case "lock", "channel", "event", "sleep":
				start(s.hangsAsync(ctx, place))
			}
		}
	}
	require.Equal(t, 10_000, inspect.Snapshot().Suspended)
	return l, r, func() {
		cancel()
		s.source.TrySet(1, nil)
		for _, j := range jobs {
			<-j.Done()
		}
	}
}

// suspended reports whether the functions wait for a Mutex.
func suspended(functions ...string) bool {
	n := 0
	for _, p := range inspect.Snapshot().Groups {
		for _, f := range functions {
			if p.Waits == "coord.Mutex" && strings.HasSuffix(p.Stack[0].Function, "."+f) {
				n++
			}
		}
	}
	return n == len(functions)
}

func TestTenThousandMachinesInSevenPlaces(t *testing.T) {
	stop := inspect.Track()
	defer stop()
	left, right, end := hang(t)
	defer end()
	at := lines(t)
	require.Len(t, at, len(counts))

	r := inspect.Snapshot()
	require.Len(t, r.Groups, len(counts))
	for place, n := range counts {
		assert.True(t, reported(r, at[place], n), "%s at %s: %d", place, at[place], n)
	}
	require.Len(t, r.Cycles, 1)
	holders := map[string]string{}
	for _, l := range r.Cycles[0] {
		holders[l.Name] = l.Holder
	}
	a, b := fmt.Sprintf("#%d", left.ID()), fmt.Sprintf("#%d", right.ID())
	assert.Equal(t, map[string]string{a: b, b: a}, holders)
	require.Len(t, r.Locks, 2)
	assert.Equal(t, inspect.Lock{What: "coord.Mutex", Holder: a, Waiters: 2501}, r.Locks[0])
	assert.Equal(t, inspect.Lock{What: "coord.Mutex", Holder: b, Waiters: 1}, r.Locks[1])

	var dump bytes.Buffer
	require.NoError(t, inspect.Dump(&dump))
	for place, n := range counts {
		assert.Regexp(t, fmt.Sprintf(`(?m)^%d machines? waits?: .*\n.*\n.*%s$`, n, at[place]), dump.String())
	}
	assert.Regexp(t, fmt.Sprintf("%s waits for coord.Mutex, held by %s", a, b), dump.String())
	assert.Regexp(t, fmt.Sprintf("%s waits for coord.Mutex, held by %s", b, a), dump.String())

	samples := profiled(t)
	for place, n := range counts {
		assert.Equal(t, n, samples[at[place]], place)
	}
	end()
	assert.Zero(t, inspect.Snapshot().Suspended)
}

func reported(r *inspect.Report, at string, n int) bool {
	for _, p := range r.Groups {
		if f := p.Stack[0]; p.Count == n && strings.HasSuffix(fmt.Sprintf("%s:%d", f.File, f.Line), at) {
			return true
		}
	}
	return false
}

// profiled returns the counts of the profile by innermost file and line.
func profiled(t *testing.T) map[string]int {
	var b bytes.Buffer
	require.NoError(t, inspect.WriteProfile(&b))
	z, err := gzip.NewReader(&b)
	require.NoError(t, err)
	raw, err := io.ReadAll(z)
	require.NoError(t, err)
	top := fields(t, raw)
	text := func(n uint64) string { return string(top[6][n].bytes) }
	assert.Empty(t, text(0))
	files := map[uint64]string{}
	for _, f := range top[5] {
		of := fields(t, f.bytes)
		files[of[1][0].number] = text(of[4][0].number)
	}
	locations := map[uint64]string{}
	for _, f := range top[4] {
		of := fields(t, f.bytes)
		line := fields(t, of[4][0].bytes)
		file := files[line[1][0].number]
		locations[of[1][0].number] = fmt.Sprintf("%s:%d", file[strings.LastIndex(file, "/")+1:], line[2][0].number)
	}
	counts := map[string]int{}
	for _, f := range top[2] {
		of := fields(t, f.bytes)
		first, _ := binary.Uvarint(of[1][0].bytes)
		n, size := binary.Uvarint(of[2][0].bytes)
		bytes, _ := binary.Uvarint(of[2][0].bytes[size:])
		assert.GreaterOrEqual(t, bytes, 12*strconv.IntSize/8*n)
		counts[locations[first]] += int(n)
	}
	return counts
}

// field is one field of a message of protocol buffers.
type field struct {
	number uint64
	bytes  []byte
}

func fields(t *testing.T, m []byte) map[uint64][]field {
	all := map[uint64][]field{}
	for len(m) > 0 {
		key, n := binary.Uvarint(m)
		require.Positive(t, n)
		v, k := binary.Uvarint(m[n:])
		require.Positive(t, k)
		m = m[n+k:]
		f := field{number: v}
		if key&7 == 2 {
			f.bytes, m = m[:v], m[v:]
		}
		all[key>>3] = append(all[key>>3], f)
	}
	return all
}

func TestNothingIsReportedWithoutTracking(t *testing.T) {
	s := newStuck()
	j := s.forSourceAsync(context.Background())
	assert.False(t, inspect.Snapshot().Tracking)
	var dump strings.Builder
	require.NoError(t, inspect.Dump(&dump))
	assert.Contains(t, dump.String(), "call inspect.Track")
	s.source.TrySet(1, nil)
	_, err := j.Await()
	require.NoError(t, err)
}

func TestStoppingForgetsAllMachines(t *testing.T) {
	stop := inspect.Track()
	s := newStuck()
	j := s.forSourceAsync(context.Background())
	assert.Equal(t, 1, inspect.Snapshot().Suspended)
	stop()
	stop()
	assert.Zero(t, inspect.Snapshot().Suspended)
	defer inspect.Track()()
	assert.Zero(t, inspect.Snapshot().Suspended, "its slot is not free yet")
	s.source.TrySet(1, nil)
	_, err := j.Await()
	require.NoError(t, err)
}

func TestMachinesAreChosen(t *testing.T) {
	all := inspect.Track()
	few := inspect.Track(inspect.Sample(100))
	named := inspect.Track(inspect.Named("x"))
	s, ctx := newStuck(), context.Background()
	var jobs []job.Handle
	begin := func(n int) {
		for range n {
			jobs = append(jobs, s.forSourceAsync(ctx))
		}
	}
	begin(1000)
	assert.Equal(t, 1000, inspect.Snapshot().Suspended)
	all()
	begin(10_000)
	n := inspect.Snapshot().Suspended
	assert.Greater(t, n, 1000+10)
	assert.Less(t, n, 1000+1000)
	few()
	begin(1000)
	assert.Equal(t, n, inspect.Snapshot().Suspended, "they have no names")
	named()
	s.source.TrySet(1, nil)
	for _, j := range jobs {
		<-j.Done()
	}
}

// TestMachinesComeAndGo takes reports while machines suspend and resume: with the race
// detector it finds a torn machine.
func TestMachinesComeAndGo(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("GOMAXPROCS=", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			defer inspect.Track()()
			s := newStuck()
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			var jobs []job.Handle
			for range 20 {
				jobs = append(jobs, s.busyAsync(ctx))
			}
			for ctx.Err() == nil {
				for _, p := range inspect.Snapshot().Groups {
					last := p.Stack[len(p.Stack)-1].Function
					assert.True(t, strings.HasSuffix(last, ".busy"), "%s: a chain is whole", last)
				}
				require.NoError(t, inspect.WriteProfile(io.Discard))
			}
			for _, j := range jobs {
				<-j.Done()
			}
			assert.Zero(t, inspect.Snapshot().Suspended)
		})
	}
}
