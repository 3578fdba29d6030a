package inspect

import (
	"math/rand/v2"
	"slices"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/registry"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Option is an option of [Track], [Observe] or [Handler]. An option that does not apply to the
// function has no effect.
type Option struct {
	sample int
	named  bool
	names  []string
	remote bool
	read   schedulers.Hook[*[]Latency]
}

// Sample makes Track track one in n suspensions and one in n jobs with a function, chosen at
// random; a report then counts about one in n machines. An n below 2 means all.
func Sample(n int) Option { return Option{sample: n} }

// Named makes Track track only machines whose job has one of the names; without
// names, only machines whose job has a name (job.Named).
func Named(names ...string) Option { return Option{named: true, names: names} }

// track is one call of Track.
type track struct{ filter *tracking.Filter }

// tracks are the calls of Track that have not been stopped.
var tracks registry.List[track]

// Track starts tracking suspended machines, and jobs with a function that have not ended: all, or
// those that all options select. A machine is tracked from its next suspension on, a job if it is
// made from now on. Several calls combine: a machine is tracked as long as a call that selects it
// has not been stopped. When the last call is stopped, all records are dropped. Track does not
// block and is safe for concurrent use; stop may be called more than once.
func Track(opts ...Option) (stop func()) {
	t := &track{filter: newFilter(opts)}
	end := probe.NameHolders()
	remove := tracks.Add(t, applyTracks)
	return func() {
		end()
		remove()
	}
}

// applyTracks makes the runtime track what any of the calls selects.
func applyTracks(list []*track) {
	switch len(list) {
	case 0:
		tracking.Set(nil)
		tracking.Forget()
	case 1:
		tracking.Set(list[0].filter)
	default:
		among := list[0].filter.Among // the one that selects most decides
		for _, t := range list {
			among = min(among, t.filter.Among)
		}
		tracking.Set(&tracking.Filter{
			Among: among,
			Machine: func(m tracking.Machine) bool {
				return slices.ContainsFunc(list, func(t *track) bool { return t.filter.Machine(m) })
			},
			Job: func(h any) bool {
				return slices.ContainsFunc(list, func(t *track) bool { return t.filter.Job(h) })
			},
		})
	}
}

// newFilter returns the filter that the options describe.
func newFilter(opts []Option) *tracking.Filter {
	n, named := uint64(1), false
	var names []string
	for _, o := range opts {
		if o.sample > 1 {
			n = uint64(o.sample)
		}
		named = named || o.named
		names = append(names, o.names...)
	}
	return &tracking.Filter{
		Among: n,
		Machine: func(m tracking.Machine) bool {
			return (n <= 1 || rand.Uint64N(n) == 0) && (!named || isSelected(m.Handle(), names))
		},
		// A job is selected by its address, which costs less than a random number.
		Job: func(h any) bool { return sample.OneIn(n, h) && (!named || isSelected(h, names)) },
	}
}

// isSelected reports whether a job has one of the names, or any if there are none.
func isSelected(handle any, names []string) bool {
	h, ok := handle.(job.Handle)
	if !ok {
		return false
	}
	name := h.Name()
	return name != "" && (len(names) == 0 || slices.Contains(names, name))
}
