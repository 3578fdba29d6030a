package serving_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/natsstore/internal/serving"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ExampleStart() {
	dir, err := os.MkdirTemp("", "serving")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := serving.Start(serving.Config{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.JetStreamEnabled())
	s.Shutdown()
	s.WaitForShutdown()
	// Output: true
}

func TestWhatCannotBeStartedSaysWhy(t *testing.T) {
	for _, c := range []serving.Config{
		{},
		{Dir: t.TempDir(), Listen: "no address"},
		{Dir: t.TempDir(), Listen: "127.0.0.1:x"},
		{Dir: t.TempDir(), Cluster: "no address"},
		{Dir: "/dev/null/no folder"},
	} {
		_, err := serving.Start(c)
		require.Error(t, err, "%+v", c)
	}
}
