package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/movenext/movenext/docs/howto/code/grpc/prices"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// printed is the output that the page shows.
var printed = regexp.MustCompile("(?s)<!-- prints: docs/howto/code/grpc -->\n```\n(.*?)```")

func TestThePageShowsWhatTheProgramPrints(t *testing.T) {
	page, err := os.ReadFile("../../grpc.md")
	require.NoError(t, err)
	shown := printed.FindSubmatch(page)
	require.NotNil(t, shown)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	assert.Equal(t, string(shown[1]), out.String())
}

func TestACallThatIsCanceledEndsItsMachines(t *testing.T) {
	asked, canceled := make(chan struct{}), make(chan error, 1)
	s := &shop{wait: func(ctx context.Context) *job.Job[job.Void] {
		return job.Go(ctx, func(ctx context.Context) error {
			close(asked) // here: a job that is canceled before it begins is not run
			<-ctx.Done()
			canceled <- context.Cause(ctx)
			return ctx.Err()
		}, job.LongRunning())
	}}
	client, stop, err := serve(s, grpc.UnaryInterceptor(codesOfJobs))
	require.NoError(t, err)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	total := call(ctx, client.Total, &prices.Goods{Names: []string{"tea"}})
	<-asked
	cancel()
	_, err = total.Wait(t.Context())
	assert.Equal(t, codes.Canceled, status.Code(err))
	assert.ErrorIs(t, <-canceled, context.Canceled, "the server's machine learns it, too")
}

func TestMachinesNeedAGoroutineForACallAndNoneForABackend(t *testing.T) {
	var out strings.Builder
	require.NoError(t, count(t.Context(), &out, 20))
	var grouped, machines int
	_, err := fmt.Sscanf(out.String(), "an errgroup in the handler: %d goroutines\nmachines in the handler: %d goroutines\n", &grouped, &machines)
	require.NoError(t, err, out.String())
	assert.Greater(t, grouped-machines, 100, "of the two hundred that wait for a backend")
}
