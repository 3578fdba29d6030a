package parallel

import (
	"iter"
	"reflect"
)

// Items are what an operation iterates over: a slice, or a sequence such as
// maps.Keys(m).
//
// A sequence runs on a separate goroutine, one step at a time and only as far as its
// items are requested. That goroutine ends before the operation does.
type Items[T any] interface {
	~[]T | ~func(yield func(T) bool)
}

// either returns items as a slice or as a sequence, whichever they are.
func either[S Items[T], T any](items S) (slice []T, seq iter.Seq[T], isSlice bool) {
	switch x := any(items).(type) {
	case []T:
		return x, nil, true
	case iter.Seq[T]:
		return nil, x, false
	case func(func(T) bool):
		return nil, x, false
	}
	// A named type. The language has no conversion from a type parameter with two
	// underlying types to one of them.
	v := reflect.ValueOf(items)
	if v.Kind() == reflect.Slice {
		return v.Convert(reflect.TypeFor[[]T]()).Interface().([]T), nil, true
	}
	return nil, v.Convert(reflect.TypeFor[iter.Seq[T]]()).Interface().(iter.Seq[T]), false
}
