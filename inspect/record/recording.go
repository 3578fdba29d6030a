package record

import (
	"time"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Recording is the contents of a recording, as [Read] returns them.
type Recording struct {
	Schedulers []string  // their names; the index is Event.Scheduler
	Subjects   []Subject // the index is Event.Subject
	Events     []Event   // in the order in which they were heard

	// End says why the recording ended before it was stopped, or is empty.
	End string
}

// Subject is what work is about. It is the zero Subject if that is unknown.
type Subject struct {
	Job  uint64 // the ID of the job, or 0 for a work item that belongs to no job
	Name string // of the job; of a work item: its name or its type

	// Made is the function of an async function's job. For another job it is where the job was
	// made, if that was recorded (job.RecordCreation).
	Made schedulers.Place
}

// Event is one event of a recording. Exactly one of Work, Life, Note and Curve is set, and
// determines its kind.
type Event struct {
	Time time.Duration // since the recording began

	Work  schedulers.EventKind // of a scheduler
	Life  inspect.EventKind    // of a job
	Note  string               // of [Recorder.Note]
	Curve string               // of [Recorder.Value]
	Value float64

	// Of schedulers; see schedulers.Event.
	Scheduler, Worker, Processor, Queue, Count int
	Took                                       time.Duration

	Subject int              // 0: none
	Place   schedulers.Place // of Submitted and Suspended: where the function is suspended

	// Of jobs; see inspect.Event.
	Status job.Status
	Waits  string
	Holder string
	On     int // the subject that it waits for, or 0
}

// The types of entries; see the package comment.
const (
	entryEnd = iota
	entryText
	entryPlace
	entryScheduler
	entrySubject
	entryNote
	entryValue
)

// Offsets that are added to the kinds of events to get the types of their entries.
const (
	entryWork = 32
	entryLife = 64
	kinds     = 32 // maximum number of kinds, of each of the two
)

// The set of fields of a scheduler's event, in the order in which they are written.
const (
	hasWorker = 1 << iota
	hasProcessor
	hasQueue
	hasCount
	hasTook
	hasSubject
	hasPlace
)

// The fields of a job's event.
const (
	hasStatus = 1 << iota
	hasWhere
	hasWaits
	hasHolder
	hasOn
)

const header = "movenext recording 1\n"

// maxText is the maximum length of a text; longer ones are cut.
const maxText = 400
