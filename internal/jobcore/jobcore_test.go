package jobcore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOnlyJobsHaveInternals(t *testing.T) {
	var none *job.Job[int]
	assert.Nil(t, jobcore.Of(nil))
	assert.Nil(t, jobcore.Of(none))
	assert.Nil(t, jobcore.Of("no job"))
	in := jobcore.Of(job.FromResult(7))
	assert.False(t, in.Waits())
	assert.False(t, in.HasExclusiveValue())
	assert.False(t, in.Claim(nil), "it has ended")
}

func TestTheInternalsHaveTheValue(t *testing.T) {
	v, _ := job.FromResult(7).Internal(jobcore.Key{})
	assert.Equal(t, 7, *v.(*int))
}
