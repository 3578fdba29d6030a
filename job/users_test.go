package job

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAJobStartedByAJobOutlivesIt(t *testing.T) {
	m := &manual{}
	var seen []string
	say := func(what string) func(context.Context) error {
		return func(context.Context) error { seen = append(seen, what); return nil }
	}
	var inner *Job[Void]
	var around context.Context
	outer := Go(m.ctx(), func(ctx context.Context) error {
		around = ctx
		_ = ctx.Done() // makes the real context
		inner = Go(ctx, say("inner"))
		return nil
	})
	m.all()
	require.Equal(t, Completed, outer.Status())
	assert.Equal(t, Completed, inner.Status())
	assert.Equal(t, []string{"inner"}, seen)
	assert.ErrorIs(t, around.Err(), context.Canceled, "the last user has ended it")
}

func TestTheContextOfAJobEndsWithTheLastJobStartedWithIt(t *testing.T) {
	m := &manual{}
	var around context.Context
	var inner []*Job[int]
	outer := Go(m.ctx(), func(ctx context.Context) error {
		around = ctx
		_ = ctx.Done()
		inner = append(inner, Run(ctx, constant(1, nil)), New(ctx, constant(2, nil)))
		return nil
	})
	m.take(t).Run(nil)
	assert.Equal(t, Completed, outer.Status())
	assert.NoError(t, around.Err(), "two jobs still need it")
	m.all()
	assert.NoError(t, around.Err(), "one does")
	assert.True(t, inner[1].Cancel())
	assert.ErrorIs(t, around.Err(), context.Canceled)
	assert.False(t, enclosingBody(around).users.hold(), "and then it stays so")
}

func TestCancelReachesTheJobsStartedByAJobThatHasNotEnded(t *testing.T) {
	m := &manual{}
	var inner *Job[int]
	var outer *Job[Void]
	outer = Go(m.ctx(), func(ctx context.Context) error {
		inner = Run(ctx, constant(1, nil))
		outer.Cancel()
		return nil
	})
	m.all()
	assert.Equal(t, Canceled, inner.Status())
}

func TestTheContextOfAJobLastsForTheJobsOfTheJobsStartedWithIt(t *testing.T) {
	m := &manual{}
	var around context.Context
	var last *Job[int]
	outer := Go(m.ctx(), func(ctx context.Context) error {
		around = ctx
		_ = ctx.Done()
		Go(ctx, func(ctx context.Context) error {
			last = Run(ctx, constant(1, nil))
			return nil
		})
		return nil
	})
	m.take(t).Run(nil)
	m.take(t).Run(nil)
	require.Equal(t, Completed, outer.Status())
	assert.NoError(t, around.Err(), "the last one's context is derived from this one")
	m.all()
	assert.Equal(t, Completed, last.Status())
	assert.ErrorIs(t, around.Err(), context.Canceled)
}

func TestACancelIsSeenThroughAllContextsThatLieInTheJobs(t *testing.T) {
	m := &manual{}
	var seen []error
	var outer *Job[Void]
	var nested func(depth int) func(context.Context) error
	nested = func(depth int) func(context.Context) error {
		return func(ctx context.Context) error {
			if depth == 2 {
				_, bounded := ctx.Deadline()
				assert.False(t, bounded)
				seen = append(seen, ctx.Err())
				outer.Cancel()
				seen = append(seen, ctx.Err())
				return nil
			}
			_, err := Go(ctx, nested(depth+1)).Wait(ctx)
			return err
		}
	}
	m.consent = true
	outer = Go(m.ctx(), nested(0))
	m.all()
	require.Len(t, seen, 2)
	assert.NoError(t, seen[0])
	assert.ErrorIs(t, seen[1], context.Canceled)
}

// Once realExists is visible, callers check the real context for its end. So a context
// that is no longer needed is canceled before that.
func TestAContextThatIsNoLongerNeededEndsBeforeItIsShown(t *testing.T) {
	var u users
	require.True(t, u.leave())
	canceled := false
	u.setReal(&realContext{cancel: func(error) {
		canceled = true
		assert.False(t, u.hasReal())
	}})
	assert.True(t, canceled)
	assert.True(t, u.hasReal())
}

func TestTheContextOfAJobThatItsCallerRunsEndsWithIt(t *testing.T) {
	var own context.Context
	j := New(t.Context(), func(ctx context.Context) (int, error) {
		own = ctx
		return 1, ctx.Err()
	})
	require.NoError(t, j.RunSynchronously())
	require.NoError(t, j.Err())
	assert.Equal(t, context.Canceled, own.Err())
}
