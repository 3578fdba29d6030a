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
	// ErrFull is the error of a recording that ended because it reached its maximum size; see
	// [MaxBytes].
	ErrFull = errors.New("record: the recording has reached its maximum size")
	// ErrBehind is the error of a recording that ended because too many bytes were waiting for
	// the writer.
	ErrBehind = errors.New("record: the writer is slower than the program")
)

// DefaultMax is the size in bytes at which a recording ends, unless [MaxBytes] sets another: some
// five million events.
const DefaultMax = 64 << 20

const (
	batch   = 32 << 10 // bytes at which the writer is woken
	backlog = 8 << 20  // bytes that may wait for the writer
	atEnd   = 200      // bytes reserved for the last entry
)

// Option is an option of [Start] and [Create]. Options are plain values.
type Option struct {
	max        int64
	oneIn      int
	schedulers []schedulers.Scheduler
	onError    schedulers.Hook[error]
}

// MaxBytes ends the recording with [ErrFull] before it exceeds n bytes. Very small n count as
// some hundred bytes.
func MaxBytes(n int64) Option { return Option{max: n} }

// OneIn records about one in n work items, and one in n jobs: either all of its events or none.
// Events that concern no single work item are always recorded. A work item and its job are
// selected independently of each other.
func OneIn(n int) Option { return Option{oneIn: n} }

// Of records only the events of these schedulers and of those on top of them, and the jobs that
// they run. The schedulers of repeated options are combined. A group of package priority and a
// queue of package roundrobin are on top of the scheduler beneath their own one.
func Of(s ...schedulers.Scheduler) Option { return Option{schedulers: s} }

// OnError makes f hear at once why a recording ends before it is stopped. f is called on a
// goroutine of the recorder; a panic in f is contained: see [schedulers.Hook].
func OnError(f func(error)) Option { return Option{onError: schedulers.NewHook("record.OnError", f)} }

// Recorder writes a recording. Its methods are safe for concurrent use.
type Recorder struct {
	w          io.Writer
	schedulers []schedulers.Scheduler
	max        int64
	onError    schedulers.Hook[error]
	stop       []func() // end the observation
	wake       chan struct{}
	written    chan struct{} // closed when the writer has ended
	since      time.Time

	mu       sync.Mutex
	encoder  encoder
	size     int64 // bytes encoded so far
	last     time.Duration
	subjects map[any]*subjectState
	items    map[any]*item
	over     bool // nothing more is recorded
	err      error
}

// Start records all schedulers and jobs of the program to w, from now on. Only one goroutine
// writes to w, and not after [Recorder.Stop] has returned. Start does not block. Even for a nil w
// it returns a recorder, whose Stop returns an error.
func Start(w io.Writer, opts ...Option) *Recorder {
	r := &Recorder{
		w: w, max: DefaultMax, since: time.Now(),
		wake: make(chan struct{}, 1), written: make(chan struct{}),
		subjects: map[any]*subjectState{}, items: map[any]*item{},
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
		r.schedulers = append(r.schedulers, o.schedulers...)
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

// Create is [Start] for a file, which it creates or truncates, and which Stop closes. The error
// is that of os.Create.
func Create(name string, opts ...Option) (*Recorder, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return Start(file{f}, opts...), nil
}

// file is a file that the recorder closes.
type file struct{ *os.File }

// Stop ends the recording. It returns nil if the recording is complete, or why it ended early:
// [ErrFull], [ErrBehind], or an error of the writer. It blocks until the last byte is written. It
// may be called more than once, but not by the function of [OnError].
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

// Err returns why the recording ended early, or nil. It does not block.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Note adds a text to the recording, which the page shows among the events: for example, what the
// program is about to do, or why a policy decided as it did. It does not block.
func (r *Recorder) Note(text string) {
	r.add(func() {
		if n := r.encoder.text(text); n != 0 {
			r.entry(entryNote)
			r.encoder.uint(n)
		}
	})
}

// Value adds a point to a curve, which the page draws above the workers. It does not block.
func (r *Recorder) Value(curve string, v float64) {
	r.add(func() {
		if n := r.encoder.text(curve); n != 0 {
			r.entry(entryValue)
			r.encoder.uint(n)
			r.encoder.float(v)
		}
	})
}

// add calls encode under the lock, unless the recording is over. It ends the recording if there
// is no space for the encoded bytes.
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
		r.wakeWriter()
	}
}

// entry begins an entry that has a time; mu is held.
func (r *Recorder) entry(tag byte) {
	now := max(r.last, time.Since(r.since)) // a bubble of testing/synctest has a clock of its own
	r.encoder.out = append(r.encoder.out, tag)
	r.encoder.uint(uint64(now - r.last))
	r.last = now
}

// end ends the recording, and lets the writer write the remaining bytes; mu is held.
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
	r.wakeWriter()
}

func (r *Recorder) wakeWriter() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// write is the goroutine that writes.
func (r *Recorder) write() {
	defer close(r.written)
	defer r.close()
	defer r.leave() // also if the user's writer calls runtime.Goexit
	var spare []byte
	for range r.wake {
		out, over := r.take(spare)
		err := r.put(out)
		if err != nil {
			r.fail(err)
		}
		if spare = out[:0]; over || err != nil {
			return
		}
	}
}

// leave ends the observation, and calls the hook.
func (r *Recorder) leave() {
	for _, stop := range r.stop {
		stop()
	}
	if err := r.Err(); err != nil {
		r.onError.Call(err)
	}
}

// fail ends the recording because a write has failed.
func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over && r.err == nil {
		r.err = err
	}
	r.end(err)
}

// take returns the bytes to be written, and whether they are the last.
func (r *Recorder) take(spare []byte) (out []byte, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, r.encoder.out = r.encoder.out, spare
	return out, r.over
}

// close closes the file of [Create].
func (r *Recorder) close() {
	f, ok := r.w.(file)
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

// errWriterExited is why a recording ends whose writer has called runtime.Goexit.
var errWriterExited = errors.New("record: the writer has called runtime.Goexit")

// put writes to the user's writer, and turns its panic into an error. Its Goexit ends this
// goroutine, so it is recorded here. So is a panic: if it began during a Goexit, put does not
// return although it has recovered.
func (r *Recorder) put(out []byte) (err error) {
	returned := false
	defer func() {
		switch v := recover(); {
		case v != nil:
			err = fmt.Errorf("record: the writer has panicked: %v", v)
			r.fail(err)
		case !returned:
			r.fail(errWriterExited)
		}
	}()
	err = r.putOrPanic(out)
	returned = true
	return err
}

func (r *Recorder) putOrPanic(out []byte) error {
	if r.w == nil {
		return errors.New("record: no writer")
	}
	if _, err := r.w.Write(out); err != nil {
		return fmt.Errorf("record: writing: %w", err)
	}
	return nil
}
