package calc

import (
	"os"
	"testing"
)

func TestEval(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "+ 1 2": 3, "+ + 1 2 3": 6} {
		t.Run(text, func(t *testing.T) {
			if got, err := Eval(text); err != nil || got != want {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
	if _, err := Eval("x"); err == nil {
		t.Error("no error")
	}
}

func TestAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { _, _ = Eval("+ 1 2") }); n > 8 {
		t.Errorf("%v allocations", n)
	}
}

func TestGuarded(t *testing.T) {
	if v := Guarded(func() { panic(1) }); v != 1 {
		t.Errorf("got %v", v)
	}
}

func TestThatFails(t *testing.T) {
	if _, err := os.Stat("../elsewhere"); err != nil {
		t.Error(err)
	}
}
