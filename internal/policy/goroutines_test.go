package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGoroutinesAreListed(t *testing.T) {
	got := finds(t, "goroutines", `
-- netio/tls.go --
package netio

func (c *TLSConn) startHandshake() { go f() }
-- netio/new.go --
package netio

func starts() { go f() }

func later() { time.AfterFunc(0, f) }

func inJob() { job.Go(ctx, f) }

func calls() { func() { wg.Go(func() {}) }() }

func callsNothing() { f() }
-- examples/x/main.go --
package main

func main() { go f() }
-- netio/new_test.go --
package netio

func helper() { go f() }
`)
	assert.Equal(t, []string{
		"netio/new.go:3: starts starts a goroutine that is not listed",
		"netio/new.go:5: later starts a goroutine that is not listed",
		"netio/new.go:9: calls starts a goroutine that is not listed",
		"netio/tls.go:3: TLSConn.startHandshake is listed with the test TestTLSACallbackThatDoesNotReturnFailsTheHandshake, which does not exist",
	}, got)
}
