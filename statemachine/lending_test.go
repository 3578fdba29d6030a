package statemachine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// roomy is a worker with room.
type roomy struct{ room any }

func (*roomy) Scheduler() schedulers.Scheduler { return nil }
func (*roomy) ID() int                         { return 1 }
func (r *roomy) Room() *any                    { return &r.room }

// roomless is a worker that reports that it has none.
type roomless struct{ roomy }

func (*roomless) Room() *any { return nil }

// incomparable is a worker on which == panics.
type incomparable struct {
	*roomy
	_ []int
}

func TestARoomLendsTheSameTaskAgain(t *testing.T) {
	on := new(roomy)
	first := borrow(on)
	assert.Equal(t, schedulers.Worker(on), first.Worker())
	first.giveBack()
	assert.Same(t, first, borrow(on))
}

func TestARunWithinARunHasATaskOfItsOwn(t *testing.T) {
	on := new(roomy)
	outer := borrow(on)
	inner := borrow(on)
	assert.NotSame(t, outer, inner)
	inner.giveBack()
	assert.Same(t, inner, borrow(on), "the next one within the same run")
	inner.giveBack()
	outer.giveBack()
	assert.Same(t, outer, borrow(on))
	assert.Same(t, inner, borrow(on))
}

func TestATaskThatIsGivenBackKeepsNothing(t *testing.T) {
	for _, worker := range []schedulers.Worker{new(roomy), new(roomless), nil} {
		lent := borrow(worker)
		lent.top, lent.last, lent.runs, lent.ready = new(Frame), new(Frame), 3, 5
		lent.Keep(new(Operation))
		lent.clock = ambient.Home(t.Context())
		lent.failure, lent.raised = new(failure), new(failure)
		lender := lent.cache
		lent.giveBack()
		assert.Equal(t, Run{cache: lender}, *lent)
		if lender.pooled != nil {
			assert.Nil(t, lender.worker)
			assert.Nil(t, lender.leaving)
		}
	}
}

func TestAnotherValueInARoomStays(t *testing.T) {
	on := &roomy{room: "another's"}
	borrow(on).giveBack()
	assert.Equal(t, "another's", on.room)
}

func TestAWorkerThatCanNotBeComparedHasARoomLikeOthers(t *testing.T) {
	on := incomparable{roomy: new(roomy)}
	m := suspend()
	m.of = job.FromResult(1)
	m.Chain.chain.Run(on)
	assert.NotNil(t, on.room)
	assert.Equal(t, job.Completed, m.Promise.Job.Status())
}

func TestWorkThatIsNotKnownToBeOnTheWorkerDoesNotEnterItsRoom(t *testing.T) {
	on := new(roomy)
	rest := newPooled().moveOn(on, jobcore.Unproven|1)
	assert.Nil(t, on.room)
	assert.Equal(t, jobcore.Unproven|1, rest.spent(), "and says so to what it runs itself")
	assert.Equal(t, schedulers.Worker(on), rest.leaving(), "what it runs in goes on")
	rest.giveBack()

	rest = newPooled().moveOn(on, 1)
	assert.NotNil(t, on.room)
	assert.Equal(t, uint8(1), rest.spent())
	rest.giveBack()
}
