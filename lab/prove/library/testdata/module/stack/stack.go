// Package stack has a stack.
package stack

// Stack is last in, first out.
type Stack[T any] struct{ list []T }

// Push puts v on top.
func (s *Stack[T]) Push(v T) { s.list = append(s.list, v) }

// Pop takes what is on top.
func (s *Stack[T]) Pop() T {
	last := len(s.list) - 1
	v := s.list[last]
	s.list = s.list[:last]
	return v
}
