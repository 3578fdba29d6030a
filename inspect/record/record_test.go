package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded returns what f does, as a recording that has been written and read.
func recorded(t *testing.T, f func(*record.Recorder), opts ...record.Option) *record.Recording {
	t.Helper()
	var file bytes.Buffer
	r := record.Start(&file, opts...)
	f(r)
	require.NoError(t, r.Stop())
	got, err := record.Read(&file)
	require.NoError(t, err)
	assert.Empty(t, got.End)
	return got
}

// of returns the kinds of the events about the subject of that name, in their order.
func of(r *record.Recording, name string) (works []schedulers.EventKind, lives []inspect.EventKind) {
	for _, e := range r.Events {
		switch {
		case r.Subjects[e.Subject].Name != name:
		case e.Work != 0:
			works = append(works, e.Work)
		case e.Life != 0:
			lives = append(lives, e.Life)
		}
	}
	return works, lives
}

func TestEveryScheduler(t *testing.T) {
	below := goroutine.New()
	for _, kind := range everyscheduler.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			s := kind.New(below)
			r := recorded(t, func(*record.Recorder) {
				ctx := schedulers.With(context.Background(), s)
				j := job.Go(ctx, func(context.Context) error { return nil }, job.Named("one"))
				a := job.NewSource[int]()
				a.TrySetResult(1)
				m := job.Run(ctx, func(ctx context.Context) (int, error) { return twiceAsync(ctx, a.Job(), a.Job()).Wait(ctx) }, job.Named("waits"))
				require.NoError(t, s.Shutdown(context.Background()))
				assert.Equal(t, job.Completed, j.Status())
				assert.Equal(t, job.Completed, m.Status())
			})
			works, lives := of(r, "one")
			assert.Equal(t, []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended}, works)
			assert.Equal(t, inspect.Ended, lives[len(lives)-1])
			for i, e := range r.Events {
				assert.True(t, i == 0 || e.Time >= r.Events[i-1].Time)
			}
		})
	}
	require.NoError(t, below.Shutdown(context.Background()))
}

func TestOfRecordsASchedulerAndWhatIsOnTopOfIt(t *testing.T) {
	below, other := manual.New(), manual.New()
	top := limited.New(below, 1)
	r := recorded(t, func(*record.Recorder) {
		for i, s := range []schedulers.Scheduler{below, other, top} {
			job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named(fmt.Sprint(i)))
		}
		below.RunAll()
		other.RunAll()
	}, record.Of(below))
	for i, want := range []int{3, 0, 3} {
		works, lives := of(r, fmt.Sprint(i))
		assert.Len(t, works, want, "work of %d", i)
		assert.Equal(t, want == 0, len(lives) == 0, "life of %d", i)
	}
}

func TestAMachineIsOneSubjectThroughAllItsSuspensions(t *testing.T) {
	s := manual.New()
	r := recorded(t, func(*record.Recorder) {
		ctx := schedulers.With(context.Background(), s)
		a, b := job.NewSource[int](), job.NewSource[int]()
		m := twiceAsync(ctx, a.Job(), b.Job())
		a.TrySetResult(1)
		s.RunAll()
		b.TrySetResult(2)
		s.RunAll()
		sum, err := m.Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, 3, sum)
	})
	machine := 0
	for i, about := range r.Subjects {
		if strings.HasSuffix(about.Made.Function, ".twice") {
			assert.Zero(t, machine, "it is one subject")
			machine = i
		}
	}
	require.NotZero(t, machine)
	var works []schedulers.EventKind
	var lives []inspect.EventKind
	var lines []int
	for _, e := range r.Events {
		if e.Subject != machine {
			continue
		}
		if e.Work != 0 {
			works = append(works, e.Work)
		} else {
			lives = append(lives, e.Life)
		}
		if e.Place.Line != 0 {
			lines = append(lines, e.Place.Line)
			assert.True(t, strings.HasSuffix(e.Place.File, "machine_test.go"), e.Place.File)
		}
	}
	once := []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended}
	assert.Equal(t, append(once, once...), works)
	assert.Equal(t, []inspect.EventKind{inspect.Made, inspect.Started, inspect.Suspended, inspect.Resumed, inspect.Suspended, inspect.Resumed, inspect.Ended}, lives)
	first, second := lineOf(t, "machine_test.go", "a.Await()"), lineOf(t, "machine_test.go", "b.Await()")
	assert.Equal(t, []int{first, first, second, second}, lines, "it is suspended and queued at two lines")
}

// lineOf returns the number of the first line of a file that contains text.
func lineOf(t *testing.T, file, text string) int {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	before, _, found := strings.Cut(string(source), text)
	require.True(t, found, "%s has no %q", file, text)
	return 1 + strings.Count(before, "\n")
}

func TestMachinesOnManyWorkersAreRecorded(t *testing.T) {
	const n = 2000
	p := pool.New(pool.Workers(4, 4))
	r := recorded(t, func(*record.Recorder) {
		ctx := schedulers.With(context.Background(), p)
		a, b := job.NewSource[int](), job.NewSource[int]()
		all := make([]*job.Job[int], n)
		for i := range all {
			all[i] = twiceAsync(ctx, a.Job(), b.Job())
		}
		a.TrySetResult(1)
		b.TrySetResult(2)
		_, err := job.WhenAll(all...).Wait(ctx)
		require.NoError(t, err)
		require.NoError(t, p.Shutdown(ctx))
	})
	ended := 0
	for _, e := range r.Events {
		if e.Life == inspect.Ended {
			ended++
		}
	}
	assert.Equal(t, n, ended)
}

func TestARecordingHasNotesAndCurves(t *testing.T) {
	r := recorded(t, func(r *record.Recorder) {
		r.Note("it begins")
		r.Note("")
		r.Value("workers", 2.5)
	})
	require.Len(t, r.Events, 2)
	assert.Equal(t, "it begins", r.Describe(r.Events[0]))
	assert.Equal(t, "workers = 2.5", r.Describe(r.Events[1]))
}

func TestAMegabyteOfANameIsCut(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	r := recorded(t, func(*record.Recorder) {
		<-job.Go(context.Background(), func(context.Context) error { return nil }, job.Named(long+"\xff")).Done()
	})
	assert.Less(t, len(r.Subjects[1].Name), 500)
}

func TestWorkWithoutAnAddress(t *testing.T) {
	s := manual.New()
	r := recorded(t, func(*record.Recorder) {
		require.NoError(t, s.Submit(blank{}, schedulers.Hint{}))
		s.RunAll()
	})
	works, _ := of(r, "record_test.blank")
	assert.Equal(t, []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended}, works)
}

type blank struct{}

func (blank) Run(schedulers.Worker) {}
func (blank) Abandon(error)         {}

func TestOneInRecordsAPart(t *testing.T) {
	s := manual.New()
	r := recorded(t, func(*record.Recorder) {
		for range 1000 {
			job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil })
		}
		s.RunAll()
	}, record.OneIn(8))
	assert.NotEmpty(t, r.Events)
	assert.Less(t, len(r.Events), 3000)
}

// full is a disk without room: it takes so many bytes.
type full struct {
	room int
	got  bytes.Buffer
}

var errNoSpace = errors.New("no space left on device")

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.got.Write(b[:n])
	if f.room -= n; n < len(b) {
		return n, errNoSpace
	}
	return n, nil
}

// busy makes so many events that a batch is written in between.
func busy(t *testing.T, r *record.Recorder) {
	t.Helper()
	for i := range 20_000 {
		r.Note(fmt.Sprintf("note %d", i))
	}
	s := manual.New()
	j := job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil })
	s.RunAll()
	assert.Equal(t, job.Completed, j.Status(), "the program continues")
}

func TestAFullDiskEndsTheRecordingAndNotTheProgram(t *testing.T) {
	disk := &full{room: 50_000}
	var heard error
	r := record.Start(disk, record.OnError(func(err error) { heard = err }))
	busy(t, r)
	require.ErrorIs(t, r.Stop(), errNoSpace)
	require.ErrorIs(t, r.Stop(), errNoSpace, "a second time")
	require.ErrorIs(t, r.Err(), errNoSpace)
	require.ErrorIs(t, heard, errNoSpace)
	assert.False(t, probe.On(probe.Events))
	got, err := record.Read(&disk.got)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NotEmpty(t, got.Events, "what fits can be read")
}

func TestARecordingEndsAtItsMaximumSize(t *testing.T) {
	var file bytes.Buffer
	r := record.Start(&file, record.MaxBytes(10_000))
	busy(t, r)
	require.ErrorIs(t, r.Stop(), record.ErrFull)
	assert.LessOrEqual(t, file.Len(), 10_000)
	got, err := record.Read(&file)
	require.NoError(t, err)
	assert.Equal(t, record.ErrFull.Error(), got.End)
	assert.NotEmpty(t, got.Events)
}

// gate is a disk that does not answer until it is opened.
type gate struct {
	open chan struct{}
	io.Writer
}

func (g *gate) Write(b []byte) (int, error) {
	<-g.open
	return g.Writer.Write(b)
}

func TestASlowDiskEndsTheRecordingAndNotTheProgram(t *testing.T) {
	var file bytes.Buffer
	disk := &gate{make(chan struct{}), &file}
	r := record.Start(disk)
	text := strings.Repeat("x", 350)
	for i := 0; r.Err() == nil; i++ {
		r.Note(fmt.Sprint(text, i))
	}
	require.ErrorIs(t, r.Err(), record.ErrBehind)
	close(disk.open)
	require.ErrorIs(t, r.Stop(), record.ErrBehind)
	got, err := record.Read(&file)
	require.NoError(t, err)
	assert.Equal(t, record.ErrBehind.Error(), got.End)
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("no disk") }

func TestBadWriters(t *testing.T) {
	assert.EqualError(t, record.Start(nil).Stop(), "record: no writer")
	assert.EqualError(t, record.Start(panics{}).Stop(), "record: the writer has panicked: no disk")
	_, err := record.Create(filepath.Join(t.TempDir(), "no", "folder"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.rec")
	r, err := record.Create(name)
	require.NoError(t, err)
	r.Note("hello")
	require.NoError(t, r.Stop())
	r.Note("too late")
	f, err := os.Open(name)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	got, err := record.Read(f)
	require.NoError(t, err)
	assert.Len(t, got.Events, 1)
}

func TestRecordersAreIndependent(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r := recorded(t, func(*record.Recorder) {
				<-job.Go(context.Background(), func(context.Context) error { return nil }, job.Named("mine")).Done()
			})
			_, lives := of(r, "mine")
			assert.NotEmpty(t, lives)
		})
	}
	all.Wait()
}

func TestNoRecording(t *testing.T) {
	for _, text := range []string{"", "movenext", "movenext recording 2\n", "PNG and more than that", "movenext recording 1\n\x09"} {
		got, err := record.Read(strings.NewReader(text))
		require.ErrorIs(t, err, record.ErrFormat, text)
		assert.Empty(t, got.Events)
	}
	_, err := record.Read(strings.NewReader("movenext recording 1\n"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = record.Read(strings.NewReader("movenext recording 1\n" + strings.Repeat("\xff", 10)))
	require.ErrorIs(t, err, record.ErrFormat, "a number of 70 bits")
	_, err = record.Read(io.MultiReader(strings.NewReader("movenext recording 1\n"), iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.NotErrorIs(t, err, record.ErrFormat, "the reader has failed")
	_, err = record.Read(strings.NewReader("movenext recording 1\n\x22\x00\x07\x00"))
	require.ErrorIs(t, err, record.ErrFormat, "there is no seventh scheduler")
}

// mostMemory is the promise of Read: bytes of memory for a byte of input, and for an empty input.
func mostMemory(input int) uint64 { return uint64(128*input) + 8<<10 }

// allocatedBy returns the number of bytes that f allocates on this goroutine, and on none.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Each input repeats the shortest entry of its kind.
func TestReadIsBoundedInMemory(t *testing.T) {
	const begin = "movenext recording 1\n"
	for name, entry := range map[string]string{
		"texts": "\x01\x00", "places": "\x02\x00\x00\x00", "schedulers": "\x03\x00", "subjects": "\x04\x00\x00\x00",
		"notes": "\x05\x00\x00", "events of schedulers": "\x21\x00\x00\x00", "events of jobs": "\x41\x00\x00\x00",
		"long texts": "\x01\x80\x08",
	} {
		t.Run(name, func(t *testing.T) {
			input := begin + strings.Repeat(entry, 1<<18)
			var err error
			assert.Less(t, allocatedBy(func() { _, err = record.Read(strings.NewReader(input)) }), mostMemory(len(input)))
			require.Error(t, err, "it has no end")
		})
	}
}

// FuzzRead reads anything: it neither panics nor takes more memory than what it reads
// deserves, and what it has read can be shown.
func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	r := record.Start(&file)
	s := manual.New()
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named("</script>"))
	s.RunAll()
	r.Note("note")
	r.Value("curve", 1)
	require.NoError(f, r.Stop())
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		var got *record.Recording
		var err error
		assert.Less(t, allocatedBy(func() { got, err = record.Read(bytes.NewReader(b)) }), mostMemory(len(b))+1<<20)
		if err != nil && !errors.Is(err, record.ErrFormat) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		require.NoError(t, got.WritePage(io.Discard))
		require.NoError(t, got.WriteText(io.Discard))
	})
}

type exits struct{}

func (exits) Write([]byte) (int, error) { runtime.Goexit(); return 0, nil }

func TestAWriterThatExitsEndsTheRecording(t *testing.T) {
	var heard error
	r := record.Start(exits{}, record.OnError(func(err error) { heard = err }))
	r.Note("hello")
	require.EqualError(t, r.Stop(), "record: the writer has called runtime.Goexit")
	assert.Equal(t, r.Err(), heard)
}

type panicsWhileExiting struct{}

func (panicsWhileExiting) Write([]byte) (int, error) {
	defer func() { panic("cleanup failed") }()
	runtime.Goexit()
	return 0, nil
}

func TestAWriterThatPanicsWhileItExitsEndsTheRecording(t *testing.T) {
	var heard error
	r := record.Start(panicsWhileExiting{}, record.OnError(func(err error) { heard = err }))
	r.Note("hello")
	require.EqualError(t, r.Stop(), "record: the writer has panicked: cleanup failed")
	assert.Equal(t, r.Err(), heard)
}
