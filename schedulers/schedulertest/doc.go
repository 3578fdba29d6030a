// Package schedulertest is the conformance suite of package schedulers: what
// every scheduler must do, as subtests that say by name what yours gets wrong.
//
// A scheduler is one method, and most of what makes it hard is not in that
// method: work that panics, work that ends its goroutine, a shutdown that races a
// submission, a hint that is a lie. Whoever writes a scheduler meets these one
// after the other, in production. Here they are in one call:
//
//	func TestConformance(t *testing.T) {
//		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
//			return mine.New(4)
//		})
//	}
//
// # What is asked
//
// Three groups are asked of every scheduler: that accepted work runs once or is
// abandoned once, whatever it does; that a hint never does harm; that a shutdown
// loses nothing. The others are asked if the scheduler claims the
// capability: timers, metrics, snapshots, limits, consent, workers that announce that they block.
// A capability that is not there has no subtest, so that the list of
// subtests says what was tested.
//
// Schedulers that are put over another one have a second call, [RunOver]: does what the one beneath can do reach
// the work above?
//
// # What is not asked
//
// Order, fairness and speed are not part of the contract. And no test can
// prove the absence of a data race: run the suite with the race
// detector, at GOMAXPROCS 1 and more.
//
// # How the suite itself is tested
//
// A check that cannot fail is worth nothing. The suite's own tests contain a scheduler
// with switchable faults, and require that each fault is found by the
// check that is there for it, and that without faults none complains.
package schedulertest
