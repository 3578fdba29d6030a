package natstest_test

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/natsstore/natstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server in a temporary directory.
func ExamplePlan() {
	dir, err := os.MkdirTemp("", "natstest")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	plan, err := natstest.NewPlan(dir, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := plan.Start(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Stop()
	c, err := nats.Connect(plan.URL())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Println(c.ConnectedServerName(), c.MaxPayload())
	// Output: server-0 4194304
}

func TestNewLastsAsLongAsTheTest(t *testing.T) {
	var url string
	t.Run("inner", func(t *testing.T) {
		url = natstest.New(t, 1).URL()
		c, err := nats.Connect(url)
		require.NoError(t, err)
		c.Close()
	})
	_, err := nats.Connect(url, nats.Timeout(time.Second))
	require.Error(t, err)
}

func TestNoConnectionTakesAPortOfAPlan(t *testing.T) {
	const firstOfConnections = 32768 // the lowest that a system has by default
	p, err := natstest.NewPlan(t.TempDir(), 3)
	require.NoError(t, err)
	for _, address := range append(p.Clients, p.Routes...) {
		a, err := net.ResolveTCPAddr("tcp", address)
		require.NoError(t, err)
		assert.Less(t, a.Port, firstOfConnections)
	}
}

func TestADirectoryThatCannotBeUsedIsAnError(t *testing.T) {
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	plan, err := natstest.NewPlan(file, 1)
	require.NoError(t, err)
	_, err = plan.Start(0)
	assert.ErrorContains(t, err, "natstest: starting server-0")
}
