package promise

import (
	"iter"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/job"
)

// NewStream returns the stream of a source, whose method All returns the values as a sequence that
// blocks between them. The source of a machine has more methods.
func NewStream[T any](source interface{ All() iter.Seq2[T, error] }) *job.Stream[T] {
	s := new(job.Stream[T])
	*s.Source(jobcore.Key{}) = source
	return s
}

// SourceOf returns the source that s was made with; nil for a nil s.
func SourceOf[T any](s *job.Stream[T]) any {
	if p := s.Source(jobcore.Key{}); p != nil {
		return *p
	}
	return nil
}
