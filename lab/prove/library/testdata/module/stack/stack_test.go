package stack_test

import (
	"testing"

	"example.com/calc/stack"
)

func TestPop(t *testing.T) {
	var s stack.Stack[string]
	s.Push("a")
	s.Push("b")
	if got := s.Pop() + s.Pop(); got != "ba" {
		t.Errorf("got %s", got)
	}
}
