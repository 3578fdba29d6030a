package trace

import "errors"

// ErrNoFuel is what a program panics with that goes on for too long.
var ErrNoFuel = errors.New("out of fuel")

// fuel is how often one run may call [T.Burn].
const fuel = 400

// Burn ends a run that would not end by itself. It panics with the same call in
// both executions, so a program that runs out of fuel is compared like any other.
func (t *T) Burn() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.burnt++; t.burnt > fuel {
		panic(ErrNoFuel)
	}
}
