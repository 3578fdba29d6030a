package schedulers_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

var errOnPurpose = errors.New("on purpose")

// brittle accepts work, runs it at once if it is set to do so, and panics.
type brittle struct {
	keeps, runs bool
	kept        []schedulers.Work
}

func (p *brittle) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if p.keeps {
		p.kept = append(p.kept, w)
	}
	if p.runs {
		p.runKept()
	}
	panic(errOnPurpose)
}

func (p *brittle) runKept() {
	for _, w := range p.kept {
		w.Run(nil)
	}
	p.kept = nil
}

// reports collects the reports of panics in hooks while the test runs.
func reports(t *testing.T) *[]string {
	var all []string
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) {
		assert.NotEmpty(t, p.Stack)
		all = append(all, p.String())
	})
	t.Cleanup(func() { schedulers.OnHookPanic(before) })
	return &all
}

// However late Submit panics, nil means that the work runs once, and an error means that it
// never runs.
func TestTrySubmitTellsAPanicAfterAcceptingFromARefusal(t *testing.T) {
	for name, c := range map[string]struct {
		keeps, runs, accepted bool
	}{
		"before accepting":              {},
		"after accepting":               {keeps: true},
		"when the work has run already": {keeps: true, runs: true, accepted: true},
	} {
		t.Run(name, func(t *testing.T) {
			seen := reports(t)
			s, w := &brittle{keeps: c.keeps, runs: c.runs}, &note{}
			for _, home := range []schedulers.Scheduler{s, dispatch.HomeFor(s), &schedulers.Home{Scheduler: s}} {
				w.runs = 0
				err := schedulers.TrySubmit(home, w, schedulers.Hint{})
				s.runKept()
				if c.accepted {
					require.NoError(t, err)
					assert.Equal(t, 1, w.runs)
					continue
				}
				var p *schedulers.SubmitPanicError
				require.ErrorAs(t, err, &p)
				assert.NotEmpty(t, p.Stack)
				require.ErrorIs(t, err, schedulers.ErrRejected)
				require.ErrorIs(t, err, errOnPurpose)
				assert.Zero(t, w.runs, "refused work does not run")
			}
			assert.Empty(t, w.reasons)
			if c.accepted {
				assert.Len(t, *seen, 3, "each panic is reported once")
				assert.Contains(t, (*seen)[0], "Submit of *schedulers_test.brittle")
			} else {
				assert.Empty(t, *seen, "the error reports it")
			}
		})
	}
}

func TestAbandonedTicketsAbandonTheirWork(t *testing.T) {
	s, w := &lifo{}, &note{}
	require.NoError(t, schedulers.TrySubmit(s, w, schedulers.Hint{}))
	s.works[0].Abandon(schedulers.ErrShutdown)
	s.works[0].Run(nil)
	assert.Equal(t, []error{schedulers.ErrShutdown}, w.reasons)
	assert.Zero(t, w.runs)
}

func TestTryOfferLeavesTheWorkAsItIs(t *testing.T) {
	s, w := &lifo{}, &note{}
	require.NoError(t, dispatch.TryOffer(s, w, schedulers.Hint{}))
	assert.Equal(t, []schedulers.Work{w}, s.works)
	require.ErrorIs(t, dispatch.TryOffer(nil, w, schedulers.Hint{}), schedulers.ErrRejected)
	require.ErrorIs(t, schedulers.TrySubmit((*schedulers.Home)(nil), w, schedulers.Hint{}), schedulers.ErrRejected)
	require.ErrorIs(t, schedulers.TrySubmit(&schedulers.Home{}, w, schedulers.Hint{}), schedulers.ErrRejected)
	assert.Equal(t, "schedulers: Submit panicked: <nil>: schedulers: work was rejected", (&schedulers.SubmitPanicError{}).Error())
}
