// Package schedulertest is the conformance suite of package schedulers: it checks the
// obligations of every scheduler, in subtests whose names say which of them is violated.
//
// A scheduler is one method, and most of its difficulty is not in that method:
// work that panics, work that ends its goroutine, a shutdown that races a
// submission, a hint that is wrong. An author meets these one after the other, in
// production. The suite covers them with one call:
//
//	func TestConformance(t *testing.T) {
//		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
//			return mine.New(4)
//		})
//	}
//
// # What is checked
//
// Three groups apply to every scheduler: accepted work runs once or is abandoned
// once, whatever it does; a hint never does harm; a shutdown loses nothing. The
// others apply if the scheduler claims the capability: timers, metrics,
// snapshots, limits, consent, workers that announce that they block. A missing
// capability has no subtest, so the list of subtests shows what was tested.
//
// For schedulers on top of another one there is a second call, [RunOver]. It checks that
// the capabilities of the scheduler beneath reach the work above.
//
// # What is not checked
//
// Order, fairness and speed are not part of the contract. No test can prove the absence
// of a data race: run the suite with the race detector, at GOMAXPROCS 1 and more. With
// -short the checks repeat a fifth as often.
//
// # How the suite itself is tested
//
// A check that cannot fail is worthless. The suite's own tests contain a scheduler with
// switchable faults. They require that each fault makes its check fail, and that without
// faults no check fails.
package schedulertest
