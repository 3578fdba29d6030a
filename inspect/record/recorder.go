package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/schedulers"
)

var (
	// ErrFull is the reason if a recording has ended because it reached its maximum size; see
	// [MaxBytes].
	ErrFull = errors.New("record: the recording has reached its maximum size")
	// ErrBehind is the reason if a recording has ended because too many bytes waited for the
	// writer.
	ErrBehind = errors.New("record: the writer is slower than the program")
)

// DefaultMax is the size in bytes at which a recording ends, unless [MaxBytes] says
// otherwise: some five million events.
const DefaultMax = 64 << 20

const (
	batch   = 32 << 10 // bytes that the writer is woken for
	backlog = 8 << 20  // bytes that may wait for the writer
	atEnd   = 200      // bytes that are left for the last entry
)

// Option is an option of [Start] and [Create]. Options are plain values.
type Option struct {
	max     int64
	oneIn   int
	of      []schedulers.Scheduler
	onError schedulers.Hook[error]
}

// MaxBytes ends the recording with [ErrFull] before it is larger than n bytes. A smaller n
// counts as some hundred bytes.
func MaxBytes(n int64) Option { return Option{max: n} }

// OneIn records the events of about one work item, and of one job, in n: all of its
// events or none. Events that concern no single work item are recorded in any case. A
// work item and its job are selected independently of each other.
func OneIn(n int) Option { return Option{oneIn: n} }

// Of records only what these schedulers do, and those on top of them, and the jobs that
// they run. Given several times, it means all of them. A group of package priority and a
// queue of package roundrobin are schedulers on top of what their own are on top of.
func Of(s ...schedulers.Scheduler) Option { return Option{of: s} }

// OnError makes f hear at once why a recording ends before it is stopped. f is called on
// a goroutine of the recorder; a panic in it is contained: see [schedulers.Hook].
func OnError(f func(error)) Option { return Option{onError: schedulers.NewHook("record.OnError", f)} }

// Recorder writes a recording. Its methods are safe for concurrent use.
type Recorder struct {
	to      io.Writer
	of      []schedulers.Scheduler
	max     int64
	onError schedulers.Hook[error]
	stop    []func() // of hearing
	wake    chan struct{}
	written chan struct{} // closed when the writer has ended
	since   time.Time

	mu       sync.Mutex
	encoder  encoder
	size     int64 // of all that was encoded
	last     time.Duration
	subjects map[any]*subject
	items    map[any]*item
	over     bool // nothing is recorded any more
	err      error
}

// Start begins to record all schedulers and jobs of the program, from now on, to w. Only
// one goroutine writes to w, and not after [Recorder.Stop] has returned. Start does not
// block. It returns a recorder also for a nil w, whose Stop returns an error.
func Start(w io.Writer, opts ...Option) *Recorder {
	r := &Recorder{
		to: w, max: DefaultMax, since: time.Now(),
		wake: make(chan struct{}, 1), written: make(chan struct{}),
		subjects: map[any]*subject{}, items: map[any]*item{},
	}
	oneIn := 1
	for _, o := range opts {
		if o.max > 0 {
			r.max = max(o.max, int64(len(header)+2*atEnd))
		}
		if o.oneIn > 1 {
			oneIn = o.oneIn
		}
		if o.onError.IsSet() {
			r.onError = o.onError
		}
		r.of = append(r.of, o.of...)
	}
	r.encoder.out = append(r.encoder.out, header...)
	r.size = int64(len(header))
	r.stop = []func(){
		schedulers.Observe(r.hearWork, schedulers.OneIn(oneIn)),
		inspect.Observe(r.hearLife, inspect.Sample(oneIn)),
	}
	go r.write()
	return r
}

// Create is [Start] for a file, which it creates or truncates, and which Stop closes. The
// error is that of os.Create.
func Create(name string, opts ...Option) (*Recorder, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return Start(file{f}, opts...), nil
}

// file is a file that the recorder closes.
type file struct{ *os.File }

// Stop ends the recording, and returns nil if it is whole, or why it ended before:
// [ErrFull], [ErrBehind], or an error of the writer. It blocks until the last byte is
// written. It may be called more than once, and not by the function of [OnError].
func (r *Recorder) Stop() error {
	for _, stop := range r.stop {
		stop()
	}
	r.mu.Lock()
	r.end(nil)
	r.mu.Unlock()
	<-r.written
	return r.Err()
}

// Err returns why the recording has ended early, or nil. It does not block.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Note adds a text to the recording, which the page shows among the events: what the
// program was about to do, or why a policy has decided as it did. It does not block.
func (r *Recorder) Note(text string) {
	r.add(func() {
		if n := r.encoder.text(text); n != 0 {
			r.entry(entryNote)
			r.encoder.uint(n)
		}
	})
}

// Value adds a point to a curve that the page draws above the workers. It does not block.
func (r *Recorder) Value(curve string, v float64) {
	r.add(func() {
		if n := r.encoder.text(curve); n != 0 {
			r.entry(entryValue)
			r.encoder.uint(n)
			r.encoder.float(v)
		}
	})
}

// add calls encode under the lock, unless the recording is over, and ends the recording
// if there is no room for what that has written.
func (r *Recorder) add(encode func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	before := len(r.encoder.out)
	encode()
	n := len(r.encoder.out)
	if r.size+int64(n-before) > r.max-atEnd {
		r.encoder.out = r.encoder.out[:before]
		r.end(ErrFull)
		return
	}
	r.size += int64(n - before)
	switch {
	case n > backlog:
		r.end(ErrBehind)
	case n >= batch && before < batch:
		r.awake()
	}
}

// entry begins an entry that has a time; mu is held.
func (r *Recorder) entry(tag byte) {
	now := max(r.last, time.Since(r.since)) // a bubble of testing/synctest has a clock of its own
	r.encoder.out = append(r.encoder.out, tag)
	r.encoder.uint(uint64(now - r.last))
	r.last = now
}

// end ends the recording, and lets the writer write the rest; mu is held.
func (r *Recorder) end(why error) {
	if r.over {
		return
	}
	r.over, r.err, r.subjects, r.items = true, why, nil, nil
	r.encoder.out = append(r.encoder.out, entryEnd)
	text := ""
	if why != nil {
		text = why.Error()
	}
	r.encoder.raw(text)
	r.awake()
}

func (r *Recorder) awake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// write is the writer.
func (r *Recorder) write() {
	defer close(r.written)
	defer r.close()
	var spare []byte
	for range r.wake {
		out, over := r.take(spare)
		err := r.put(out)
		if err != nil {
			r.mu.Lock()
			if r.over && r.err == nil {
				r.err = err
			}
			r.end(err)
			r.mu.Unlock()
		}
		if spare = out[:0]; over || err != nil {
			break
		}
	}
	for _, stop := range r.stop {
		stop()
	}
	if err := r.Err(); err != nil {
		r.onError.Call(err)
	}
}

// take returns what is to be written, and whether that is the end.
func (r *Recorder) take(spare []byte) (out []byte, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, r.encoder.out = r.encoder.out, spare
	return out, r.over
}

// close closes the file of [Create].
func (r *Recorder) close() {
	f, ok := r.to.(file)
	if !ok {
		return
	}
	if err := f.Close(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			r.err = fmt.Errorf("record: closing: %w", err)
		}
	}
}

// put writes to the user's writer, whose panic is an error.
func (r *Recorder) put(out []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("record: the writer has panicked: %v", v)
		}
	}()
	if r.to == nil {
		return errors.New("record: no writer")
	}
	if _, err := r.to.Write(out); err != nil {
		return fmt.Errorf("record: writing: %w", err)
	}
	return nil
}
