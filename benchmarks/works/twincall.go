package works

import (
	"context"

	"github.com/movenext/movenext/benchmarks/contest"
)

// twinCall is W6d: the price of a call that could suspend but does not.
func twinCall() *contest.Work {
	const plain = "plain call"
	return &contest.Work{
		ID:      "W6d",
		Title:   "call a function that could suspend and does not",
		Op:      "call",
		N:       10_000_000,
		Bases:   []string{plain},
		Added:   true,
		Guarded: []contest.Measure{contest.Bytes, contest.Allocs},
		Contenders: []contest.Contender{
			{Name: plain, Note: "the same function, not inlined", Start: still(func(_ *contest.Meter, n int) error {
				return contest.Check(steps(n), n)
			})},
			{Name: "movenext", Note: "a machine calls the twin", Start: still(func(_ *contest.Meter, n int) error {
				v, err := stepsAsync(n).Wait(context.Background())
				if err != nil {
					return err
				}
				return contest.Check(v, n)
			})},
			{Name: "movenext: job", Note: "plain code calls the twin and gets a job", Start: still(func(_ *contest.Meter, n int) error {
				v := 0
				for range n {
					var err error
					if v, err = stepAsync(v).Wait(context.Background()); err != nil {
						return err
					}
				}
				return contest.Check(v, n)
			})},
		},
	}
}
