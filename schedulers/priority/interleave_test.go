//go:build interleave

package priority

import (
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. Each ticket runs on a
// goroutine of its own. In all of them,
// accepted work must run once, refused work must not, and at rest no group may be in the heap.

type beneath struct {
	submissions interleave.Int32
	refuses     int32 // the number of the submission that is refused, from 1 on; 0: none
}

func (b *beneath) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if b.submissions.Add(1) == b.refuses {
		return schedulers.ErrRejected
	}
	interleave.Go(func() { w.Run(nil) })
	return nil
}

// unit is one work item.
type unit struct {
	ran int
	err error
}

func (u *unit) Run(schedulers.Worker) { u.ran++ }
func (u *unit) Abandon(error)         {}

// explore runs a submitter for each level; submitters of one level share a group.
func explore(t *testing.T, refuses int32, levels ...int) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		p := New(&beneath{refuses: refuses}, 2)
		groups := []*Group{p.Group(0), p.Group(1)}
		units := make([]unit, len(levels))
		for i, level := range levels {
			s.Go(fmt.Sprint("submitter ", i), func() { units[i].err = groups[level].Submit(&units[i], schedulers.Hint{}) })
		}
		return func() error {
			for i, u := range units {
				if (u.ran == 1) != (u.err == nil) || u.ran > 1 {
					return fmt.Errorf("unit %d (%v) has run %d times", i, u.err, u.ran)
				}
			}
			if m := p.Metrics(); p.groups.Len() > 0 || m.Queued+m.Running != 0 {
				return fmt.Errorf("at rest, %d groups are in the heap, and %+v", p.groups.Len(), m)
			}
			return nil
		}
	})
}

func TestInterleavingsOfTwoSubmittersToOneGroup(t *testing.T)  { explore(t, 0, 0, 0) }
func TestInterleavingsOfTwoSubmittersToTwoGroups(t *testing.T) { explore(t, 0, 0, 1) }
func TestInterleavingsOfARefusedTicketOfOneGroup(t *testing.T) { explore(t, 1, 0, 0) }
func TestInterleavingsOfARefusedTicketOfTwo(t *testing.T)      { explore(t, 1, 0, 1) }
