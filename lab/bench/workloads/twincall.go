package workloads

import (
	"context"

	"github.com/movenext/movenext/lab/bench/suite"
)

// twinCall is W6d: the price of a call that could suspend but does not.
func twinCall() *suite.Work {
	const plain = "plain call"
	return &suite.Work{
		ID:      "W6d",
		Title:   "call a function that could suspend and does not",
		Op:      "call",
		N:       10_000_000,
		Bases:   []string{plain},
		Added:   true,
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			{Name: plain, Note: "the same function, not inlined", Start: still(func(_ *suite.Meter, n int) error {
				return suite.Check(steps(n), n)
			})},
			{Name: "movenext", Note: "a machine calls the twin", Start: still(func(_ *suite.Meter, n int) error {
				v, err := stepsAsync(n).Wait(context.Background())
				if err != nil {
					return err
				}
				return suite.Check(v, n)
			})},
			{Name: "movenext: job", Note: "plain code calls the twin and gets a job", Start: still(func(_ *suite.Meter, n int) error {
				v := 0
				for range n {
					var err error
					if v, err = stepAsync(v).Wait(context.Background()); err != nil {
						return err
					}
				}
				return suite.Check(v, n)
			})},
		},
	}
}
