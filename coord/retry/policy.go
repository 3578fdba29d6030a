package retry

import (
	"math/rand/v2"
	"time"
)

// Policy determines the pauses between the attempts of one operation.
//
// A policy has a state: it is for one call of [Do] or [Hedge] at a time. If it has a method
// Reset, that is called first, so that the policy can be used for one call after another.
type Policy interface {
	// NextBackOff returns the pause before the next attempt. If it is negative, there is no
	// other attempt.
	NextBackOff() time.Duration
}

// Exponential returns a policy whose pauses grow: the first is at most first, each other one at
// most twice as long as the one before, and none is longer than most. A random part of each pause,
// up to a half of it, is left out, so that callers that have failed together do not come back
// together.
//
// Make one for each call.
func Exponential(first, most time.Duration) Policy {
	most = max(most, 0)
	e := &exponential{first: min(max(first, 0), most), most: most}
	e.Reset()
	return e
}

type exponential struct {
	first, most, next time.Duration
}

func (e *exponential) NextBackOff() time.Duration {
	longest := e.next
	e.next = e.most
	if longest < e.most/2 {
		e.next = 2 * longest
	}
	return longest - rand.N(longest/2+1)
}

func (e *exponential) Reset() { e.next = e.first }

// Constant returns a policy whose pauses are all the same. Unlike others, it is safe for
// concurrent use.
func Constant(pause time.Duration) Policy { return constant(pause) }

type constant time.Duration

func (c constant) NextBackOff() time.Duration { return time.Duration(c) }
