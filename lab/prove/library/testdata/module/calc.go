// Package calc evaluates sums in Polish notation.
package calc

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/calc/stack"
)

// Eval evaluates text.
func Eval(text string) (int, error) {
	words := strings.Fields(text)
	var s stack.Stack[int]
	for len(words) > 0 {
		word := words[len(words)-1]
		words = words[:len(words)-1]
		if word == "+" {
			s.Push(s.Pop() + s.Pop())
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return 0, fmt.Errorf("calc: %w", err)
		}
		s.Push(n)
	}
	return s.Pop(), nil
}

// Guarded returns what f panics with. It cannot be annotated.
func Guarded(f func()) (value any) {
	defer recoverTo(&value)
	f()
	return nil
}

func recoverTo(value *any) { *value = recover() }
