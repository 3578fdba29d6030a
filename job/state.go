package job

import (
	"strconv"

	"github.com/movenext/movenext/internal/interleave"
)

// state is a job's status until it ends, and four marks. The end itself is not marked
// here: the job has ended once the list of its waiters is closed.
//
//	status                word               list     left by
//	Created               –                  open     Start, Cancel, begin
//	WaitingForActivation  –                  open     antecedent, source, machine; Cancel
//	Scheduled             –                  open     worker or waiter that claims it; Cancel
//	Running               –, inPlace,        open     the goroutine that runs it
//	                      suspended
//	the first three       | reserved         open     the winner of reserve: writes the result
//	Completed, Canceled,  as it was last,    closed   –
//	Faulted               | observed, later
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
//	        (…)|reserved ─────Complete──▶ Completed │ Canceled │ Faulted
//
// Completing takes two steps, so that it needs no lock and a result is never partly
// visible. Exactly one contender wins the right to complete (claim and reserve start
// from the same words: a worker against a canceller, two producers of one source). The
// winner writes value, error and final status with plain stores, and closes the list,
// which publishes them: a reader that sees the list closed also sees those stores.
//
// The tempting shortcut is one compare-and-swap to the final status with the
// result written before it. Two producers would then write the result at the
// same time, and the loser's value could be the one that is read.
//
// Another tempting design also writes the final status to this word, before the list is
// closed. One expects that of a status word. But it would cost each job one more locked
// instruction, whose information the next one publishes anyway. And for a moment a job
// would have ended and still accept waiters.
//
//	the completer                          the reader
//	 1. win: claim or reserve               1. is the list closed? else the status is the word's
//	 2. write value, error, core.final      2. read core.final, value, error
//	 3. Complete: closes the list
//	 4. deliver the nodes of the list
//
// Proof. Only the winner writes, and there is only one: no transition leads from Running
// or from a reserved word back to a word that claim and reserve start from. If the
// reader's step 1 sees the list closed, it sees the store of the completer's step 3, so
// the reader's step 2 sees everything that the completer's step 2 wrote. A list that is
// closed stays closed, so the status of a job that has ended does not change.
//
// The zero word means Scheduled. Most jobs are made by Run and not shared yet; this
// status is all that they would have to store, and Go has no atomic store that is
// cheaper than a compare-and-swap.
type state struct{ word interleave.Uint32 }

const (
	statusMask uint32 = 0b111
	// reserved: the right to complete the job without running it has been won. It
	// stays.
	reserved uint32 = 1 << 3
	// observed: a caller has read the outcome. Set only when the job has ended.
	observed uint32 = 1 << 4
	// inPlace: the enclosing job waits for this one by running it on its own goroutine,
	// or has run it to its end there. Set only when Running.
	inPlace uint32 = 1 << 5
	// suspended: the function is a machine that has suspended, and may continue
	// anywhere. Set only when Running.
	suspended uint32 = 1 << 6
)

// wordOf returns the word of a status, without marks. It is its own inverse.
func wordOf(s Status) uint32 { return uint32(s ^ Scheduled) }

// status returns the status of a job that has not ended; a reserved job keeps the status
// that it had before.
func (s *state) status() Status { return Status(s.word.Load()&statusMask) ^ Scheduled }

// set sets the status of a job that is not shared yet.
func (s *state) set(first Status) { s.word.Store(wordOf(first)) }

// hasStatus reports whether the word is that of the status, without marks. Except for Running,
// this also means that the right to complete the job has not been won.
func (s *state) hasStatus(status Status) bool { return s.word.Load() == wordOf(status) }

// start moves Created to Scheduled; false: the job was started or canceled before.
func (s *state) start() bool { return s.move(Created, Scheduled) }

// activate moves WaitingForActivation to Scheduled; false: it was canceled.
func (s *state) activate() bool { return s.move(WaitingForActivation, Scheduled) }

// claim moves Scheduled to Running. Of all callers that want to run the job, exactly
// one gets true.
func (s *state) claim() bool { return s.move(Scheduled, Running) }

// claimInPlace is a claim from Scheduled or Created by the enclosing job, which waits for this
// one.
func (s *state) claimInPlace(from Status) bool {
	return s.word.CompareAndSwap(wordOf(from), wordOf(Running)|inPlace)
}

// leavePlace clears the mark inPlace of a job that has not ended.
func (s *state) leavePlace() {
	if s.isInPlace() {
		s.word.And(^inPlace)
	}
}

// suspend marks a running job as suspended.
func (s *state) suspend() { s.word.Or(suspended) }

// isSuspended reports whether the job's function has suspended, once or more often.
func (s *state) isSuspended() bool { return s.word.Load()&suspended != 0 }

// isInPlace reports whether the enclosing job waits for this one by running it.
func (s *state) isInPlace() bool { return s.word.Load()&inPlace != 0 }

func (s *state) move(from, to Status) bool {
	return s.word.CompareAndSwap(wordOf(from), wordOf(to))
}

// reserve wins the right to complete a job whose status is from.
func (s *state) reserve(from Status) bool {
	return s.word.CompareAndSwap(wordOf(from), wordOf(from)|reserved)
}

// reserveUnstarted wins the right to complete a job whose function will then never run.
// It returns false if the job runs, is being completed, or has ended.
func (s *state) reserveUnstarted() bool {
	return s.reserve(Scheduled) || s.reserve(WaitingForActivation) || s.reserve(Created) ||
		// The job may have moved from Created or WaitingForActivation to Scheduled
		// behind our first question; it cannot move back, so asking twice is enough.
		s.reserve(Scheduled)
}

// observe marks the outcome of a job that has ended as seen, and reports whether it was
// the first to.
func (s *state) observe() bool {
	return s.word.Load()&observed == 0 && s.word.Or(observed)&observed == 0
}

// Status is the stage that a job has reached. See the table in state.go.
type Status uint32

// JobStatus is Status under the name that readers of the .NET documentation look for.
type JobStatus = Status

// The statuses of a job.
const (
	// Created: made by [New], not started.
	Created Status = iota
	// WaitingForActivation: it will be completed by something other than a
	// scheduler running its function: a [Source], a continuation whose antecedent is
	// not complete, a suspended state machine.
	WaitingForActivation
	// Scheduled: submitted to a scheduler, not yet running.
	Scheduled
	// Running: its function has been called and has not returned.
	Running
	// Completed: it has a result and no error.
	Completed
	// Canceled: it ended because its context did, or it was canceled before it ran.
	Canceled
	// Faulted: it ended with an error, a panic or a runtime.Goexit.
	Faulted
)

var statusNames = [...]string{
	"Created", "WaitingForActivation", "Scheduled", "Running", "Completed", "Canceled", "Faulted",
}

// String returns the status's name.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "Status(" + strconv.FormatUint(uint64(s), 10) + ")"
}

// IsFinal reports whether a job with this status never changes again.
func (s Status) IsFinal() bool { return s >= Completed }
