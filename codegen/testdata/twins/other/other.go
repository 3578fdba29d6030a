// Package other has twins that another package calls.
package other

import (
	"context"
	"io"

	"github.com/movenext/movenext/job"
)

//movenext:async
func Generated(ctx context.Context, list ...string) (int, error) { return 0, nil }

//movenext:async
func Generic[K comparable, V any](m map[K]V) (K, V) { return *new(K), *new(V) }

// ByHand has a twin written by hand.
func ByHand(n int) io.Reader { return nil }

func ByHandAsync(n int) *job.Job[io.Reader] { return nil }

// The names match, but these are not two forms of one function.

func OtherParams(n int)                        {}
func OtherParamsAsync(n int64) *job.Job[error] { return nil }
func OtherResult() int                         { return 0 }
func OtherResultAsync() *job.Job[string]       { return nil }
func NoJob() int                               { return 0 }
func NoJobAsync() <-chan int                   { return nil }
func Variadic(n ...int)                        {}
func VariadicAsync(n []int) *job.Job[job.Void] { return nil }
func Constraint[T any](v T)                    {}
func ConstraintAsync[T comparable](v T) *job.Job[job.Void] {
	return nil
}

type List[T any] struct{ v T }

//movenext:async
func (l *List[E]) Get(i int) (E, error) { return l.v, nil }

// Split has its forms on different receivers: one would see a copy.
func (l List[T]) Split()                          {}
func (l *List[T]) SplitAsync() *job.Job[job.Void] { return nil }

// Pair has both forms of Read, Half only one.
type Pair interface {
	Read(p []byte) (int, error)
	ReadAsync(p []byte) *job.Job[int]
}

type Half interface {
	io.Reader
	ReadAsync(p []byte) *job.Job[int]
}
