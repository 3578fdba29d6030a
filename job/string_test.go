package job_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/job"
)

func TestAJobIsALine(t *testing.T) {
	fn := func(context.Context) (int, error) { return 1, nil }
	var none *job.Job[int]
	assert.Equal(t, "job <nil>", none.String())
	assert.Equal(t, "job <nil>", fmt.Sprint(none))
	assert.Equal(t, `job "total", Created`, job.New(context.Background(), fn, job.Named("total")).String())
	j := job.NewSource[int]()
	assert.Equal(t, fmt.Sprintf("job #%d, WaitingForActivation", j.Job().ID()), fmt.Sprint(j.Job()))
	j.TrySetResult(1)
	assert.Contains(t, j.Job().String(), "Completed")
	made := job.New(context.Background(), fn, job.Diagnose(job.RecordCreation), job.Named("made"))
	assert.Regexp(t, `^job "made", Created, made in job_test.TestAJobIsALine \(string_test.go:\d+\)$`, made.String())
	long := job.New(context.Background(), fn, job.Named(strings.Repeat("x\n", 1<<20)))
	assert.Less(t, len(long.String()), 500)
	assert.NotContains(t, long.String(), "\n")
}

func ExampleJob_String() {
	j := job.New(context.Background(), func(context.Context) (int, error) { return 7, nil }, job.Named("answer"))
	fmt.Println(j)
	_, _ = j.Await()
	fmt.Println(j)
	// Output:
	// job "answer", Created
	// job "answer", Completed
}
