package job

import "strconv"

// Status says how far a job has come. See the table in state.go.
type Status uint32

// JobStatus is the name that readers of the .NET documents look for.
type JobStatus = Status

// The statuses of a job.
const (
	// Created: made by [New], not started.
	Created Status = iota
	// WaitingForActivation: it will be completed by something other than a
	// scheduler running its function: a [Source], a continuation whose antecedent is
	// not complete, a suspended state machine.
	WaitingForActivation
	// Scheduled: handed to a scheduler, not yet running.
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
