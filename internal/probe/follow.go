package probe

import "sync"

// # Machines that wait
//
// A worker can notice that its goroutine waits. No scheduler notices that a machine
// waits: the machine is registered with the operation that it waits for, and its
// scheduler does not know of it until it is submitted again. That makes waiting cheap,
// but it also lets a program hang silently: two machines that wait for each other's locks
// leave a scheduler with nothing to do, just as a program that has ended does.
//
// A scheduler that has to distinguish these two cases is a [Follower].

// Follower is a scheduler that is notified of the suspended machines whose home it is. It
// may be on top of another scheduler, or beneath one: the first Follower among the layers
// of a home is notified.
//
// All methods are called by the goroutine that runs the machine, or that ends its wait,
// and must not block.
type Follower interface {
	// Suspended is called right before s is registered with on, which it waits for. If
	// the registration fails because on has already completed, Resumed follows at once.
	Suspended(s Suspension, on any)

	// Resumed is called when s resumes, before it is submitted, and may be called for a
	// suspension that was not reported. A call after the submission would be too late:
	// the machine may be suspended again by then, or have ended.
	Resumed(s Suspension)

	// Arrived follows each Resumed, when the submission has returned. Between the two
	// calls a machine is neither suspended nor queued, so a program that seems to have
	// ended has not.
	Arrived()
}

// Suspension is a machine that is suspended. While it is, its methods may be called
// from any goroutine. It has no name of its own type, so that a scheduler from elsewhere can be
// a [Follower] too.
type Suspension = interface {
	Name() string // of the machine's job, or its number

	// Where returns where its innermost function is suspended; an empty function means that
	// this is not known.
	Where() (function, file string, line int)
}

var follows sync.Once

// Follow records that the program has a follower: a home has been made for one. From then on
// locks name their holders.
func Follow() {
	follows.Do(func() {
		Set(Followers, true)
		NameHolders()
	})
}
