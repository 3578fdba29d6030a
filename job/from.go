package job

// completedVoid is the one completed job without a result: it carries nothing that
// could tell two of them apart.
var completedVoid = ended[Void](Completed, Void{}, nil)

// FromResult returns a job that has completed with value. For [Void] it is always the same job and
// allocates nothing.
func FromResult[T any](value T) *Job[T] {
	if j, ok := any(completedVoid).(*Job[T]); ok {
		return j
	}
	return ended(Completed, value, nil)
}

// FromError returns a job that has faulted with err. For a nil err it is
// FromResult of the zero value.
func FromError[T any](err error) *Job[T] {
	var zero T
	if err == nil {
		return FromResult(zero)
	}
	return ended(Faulted, zero, err)
}

// FromCanceled returns a job that is Canceled. Its error matches both context.Canceled and
// cause, which may be nil.
func FromCanceled[T any](cause error) *Job[T] {
	var zero T
	return ended(Canceled, zero, canceledError(cause))
}

func ended[T any](final Status, value T, err error) *Job[T] {
	j := &Job[T]{value: value}
	j.err = err
	j.publish(final)
	return j
}
