package job

// Completed jobs with the most frequent results. They carry nothing that could tell two
// of them apart, so one of each is enough; the choice is .NET's.
var (
	completedVoid  = ended(Completed, Void{}, nil)
	completedBools = [...]*Job[bool]{ended(Completed, false, nil), ended(Completed, true, nil)}
	completedInts  = func() (js [10]*Job[int]) {
		for i := range js {
			js[i] = ended(Completed, i+leastInt, nil)
		}
		return js
	}()
)

const leastInt = -1

// FromResult returns a job that has completed with value. For [Void], for a bool and
// for an int from -1 to 8 it is always the same job and allocates nothing.
func FromResult[T any](value T) *Job[T] {
	// A pointer, since asking a value for its type would copy it to the heap.
	switch v := any(&value).(type) {
	case *Void:
		return any(completedVoid).(*Job[T])
	case *bool:
		if *v {
			return any(completedBools[1]).(*Job[T])
		}
		return any(completedBools[0]).(*Job[T])
	case *int:
		if i := *v - leastInt; 0 <= i && i < len(completedInts) {
			return any(completedInts[i]).(*Job[T])
		}
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

// FromCanceled returns a job that is Canceled. Its error matches both context.Canceled
// and cause, which may be nil.
func FromCanceled[T any](cause error) *Job[T] {
	var zero T
	return ended(Canceled, zero, canceledError(cause))
}

func ended[T any](final Status, value T, err error) *Job[T] {
	j := &Job[T]{value: value}
	j.setErr(err)
	j.publish(final)
	return j
}
