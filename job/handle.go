package job

// Handle is any *Job[T] without its type: for lists of mixed jobs, registries, logs.
// Only jobs of this package implement it.
type Handle interface {
	ID() uint64
	Name() string
	Creation() Frame
	Status() Status
	IsCompleted() bool
	Err() error
	Done() <-chan struct{}
	Start(opts ...Option) error
	Cancel() bool
	CancelCause(cause error) bool

	base() *core
}

func (j *Job[T]) base() *core {
	if j == nil {
		return nil
	}
	return &j.core
}

// baseOf returns what all handles share; nil for a nil Handle and for a nil job.
func baseOf(h Handle) *core {
	if h == nil {
		return nil
	}
	return h.base()
}

var _ Handle = (*Job[Void])(nil)
