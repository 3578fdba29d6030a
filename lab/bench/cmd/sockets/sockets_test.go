//go:build linux

package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary is also a server.
func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		exit(serveAs(name, os.Stdin, os.Stdout))
	}
	// A library starts these two when its package is initialised.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

// Every server serves every work in which it takes part, and each table is complete.
func TestEachWorkInTheSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts other programs")
	}
	s := settings{rounds: 1, connections: 20, busy: 10, secure: 5, last: 50 * time.Millisecond}
	for _, w := range works {
		t.Run(w.name, func(t *testing.T) {
			results, err := contest(t.Context(), s, w)
			require.NoError(t, err)
			for _, c := range w.contenders {
				require.Len(t, results[c.name], 1)
				for _, q := range w.quantities {
					assert.Contains(t, results[c.name][0], q.key, c.name)
				}
			}
			var out strings.Builder
			table(&out, w, results)
			assert.Equal(t, len(w.contenders)+2, strings.Count(out.String(), "\n|"))
		})
	}
}

func TestBadSettingsAreErrors(t *testing.T) {
	s := settings{rounds: 1, connections: 1, busy: 1, secure: 1, last: 1, only: []string{"nothing"}}
	assert.ErrorContains(t, run(context.Background(), s, new(strings.Builder)), `"nothing" is not a workload`)
	s.rounds = 0
	assert.ErrorContains(t, run(context.Background(), s, new(strings.Builder)), "positive")
	assert.ErrorIs(t, serveAs("nothing", strings.NewReader(""), new(strings.Builder)), errNoContender)
}

func TestAServerThatCannotStartIsAnError(t *testing.T) {
	_, err := turn(context.Background(), settings{}, works[0], contender{name: "none of ours"})
	assert.ErrorContains(t, err, "no such server")
}
