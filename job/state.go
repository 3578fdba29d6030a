package job

import "sync/atomic"

// state is a job's one atomic word: its status, and three marks.
//
//	status                word               who leaves it
//	Created               –                  Start, Cancel, who runs it at once
//	WaitingForActivation  –                  the antecedent, the source, the machine; Cancel
//	Scheduled             –                  the worker or a waiter that claims it; Cancel
//	Running               –, inPlace         the goroutine that runs it
//	the first three       | reserved         who reserved it: it alone writes the result
//	Completed, Canceled,  | observed, later  nobody
//	Faulted
//
//	   ┌───────────────begin───────────────────┐
//	   │                                       ▼
//	Created ──start──▶ Scheduled ──claim──▶ Running
//	   │                ▲     │                │
//	   │             activate │                │
//	   │                │     │                │
//	   │   WaitingForActivation                │
//	   │                │     │                │
//	   └────────reserve─┴─────┘                │
//	              ▼                            ▼
//	        (…)|reserved ──────finish──▶ Completed │ Canceled │ Faulted
//
// Completing takes two steps so that there is neither a lock nor a half-visible
// result: the right to complete is won by exactly one (claim and reserve leave
// the same words: a worker against a canceller, two producers of one source),
// who then writes value and error as plain memory, and finish publishes them:
// whoever reads a final status reads the result after it was written.
//
// The tempting shortcut is one compare-and-swap to the final status with the
// result written before it. Two producers would then write the result at the
// same time, and the loser's value could be the one that is read.
//
// The zero word says Scheduled. Most jobs are made by Run, before anybody else knows them, and would store nothing but this
// status; Go has no atomic store that costs less than a compare-and-swap.
type state struct{ word atomic.Uint32 }

const (
	statusMask uint32 = 0b111
	// reserved: somebody has won the right to complete the job. Set by reserve,
	// cleared by finish; never together with a final status.
	reserved uint32 = 1 << 3
	// observed: somebody has been given the outcome. Set only when final.
	observed uint32 = 1 << 4
	// inPlace: the goroutine of the job around it runs it, and waits for it that way. Set only when
	// Running.
	inPlace uint32 = 1 << 5
)

// wordOf returns the word of a status, without marks. It is its own inverse.
func wordOf(s Status) uint32 { return uint32(s ^ Scheduled) }

// status returns the job's status; a reserved job still has the one it comes from.
func (s *state) status() Status { return Status(s.word.Load()&statusMask) ^ Scheduled }

// set sets the status of a job that nobody else knows yet.
func (s *state) set(first Status) { s.word.Store(wordOf(first)) }

// is reports whether the word is that of a status without marks. Of one that is not final that says that nobody has won the
// right to complete the job, either.
func (s *state) is(status Status) bool { return s.word.Load() == wordOf(status) }

// start moves Created to Scheduled; false: the job was started or canceled before.
func (s *state) start() bool { return s.move(Created, Scheduled) }

// begin moves Created to Running, for who starts the job and runs it himself; false: the job was started or canceled
// before.
func (s *state) begin() bool { return s.move(Created, Running) }

// activate moves WaitingForActivation to Scheduled; false: it was canceled.
func (s *state) activate() bool { return s.move(WaitingForActivation, Scheduled) }

// claim moves Scheduled to Running. Exactly one of those who would like to run
// the job gets true.
func (s *state) claim() bool { return s.move(Scheduled, Running) }

// claimInPlace is claim for the job around it, which waits for this one.
func (s *state) claimInPlace() bool {
	return s.word.CompareAndSwap(wordOf(Scheduled), wordOf(Running)|inPlace)
}

// leavePlace takes the mark back, if the job has not ended.
func (s *state) leavePlace() {
	if s.isInPlace() {
		s.word.And(^inPlace)
	}
}

// isInPlace reports whether the job around it waits for this one by running it.
func (s *state) isInPlace() bool { return s.word.Load()&inPlace != 0 }

func (s *state) move(from, to Status) bool {
	return s.word.CompareAndSwap(wordOf(from), wordOf(to))
}

// reserve wins the right to complete a job that has status from.
func (s *state) reserve(from Status) bool {
	return s.word.CompareAndSwap(wordOf(from), wordOf(from)|reserved)
}

// reserveUnstarted wins the right to complete a job whose function will then
// never run. It is false for one that runs, is being completed, or is final.
func (s *state) reserveUnstarted() bool {
	return s.reserve(Scheduled) || s.reserve(WaitingForActivation) || s.reserve(Created) ||
		// The job may have moved from Created or WaitingForActivation to Scheduled
		// behind our first question; it can not move back, so asking twice is enough.
		s.reserve(Scheduled)
}

// finish publishes the result, which the caller has written after winning a reserve.
func (s *state) finish(final Status) { s.word.Store(wordOf(final)) }

// observe marks a final job's outcome as seen, and reports whether it was the first to.
func (s *state) observe() bool {
	return s.word.Load()&observed == 0 && s.word.Or(observed)&observed == 0
}
