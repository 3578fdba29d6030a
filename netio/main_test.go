package netio_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manyProcs are the values of GOMAXPROCS for tests of real concurrency.
var manyProcs = []int{1, 2, 8}

// onProcs runs a test with each of them.
func onProcs(t *testing.T, f func(t *testing.T)) {
	for _, n := range manyProcs {
		t.Run("GOMAXPROCS="+strconv.Itoa(n), func(t *testing.T) {
			before := runtime.GOMAXPROCS(n)
			t.Cleanup(func() { runtime.GOMAXPROCS(before) })
			f(t)
		})
	}
}

// listen returns a listener of the network, which the test closes.
func listen(t testing.TB, network string) *netio.Listener {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(t.TempDir(), "socket")
	}
	l, err := netio.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// dial connects to l; the test closes the connection.
func dial(t testing.TB, l *netio.Listener) *netio.Conn {
	t.Helper()
	c, err := netio.Dial(context.Background(), l.Addr().Network(), l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pipe returns both ends of a connection.
func pipe(t testing.TB, network string) (a, b *netio.Conn) {
	t.Helper()
	l := listen(t, network)
	a = dial(t, l)
	b, err := l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	require.NoError(t, l.Close())
	return a, b
}

// descriptors counts the open descriptors of the process, on Linux.
func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if runtime.GOOS == "linux" {
		require.NoError(t, err)
	}
	return len(all)
}

// networks are those that have streams.
var networks = []string{"tcp", "unix"}

// onNetworks runs a test with each of them.
func onNetworks(t *testing.T, f func(t *testing.T, network string)) {
	for _, network := range networks {
		t.Run(network, func(t *testing.T) { f(t, network) })
	}
}

// machines is a connection whose reads and writes are machines, each in a job
// that the caller waits for.
type machines struct{ *netio.Conn }

func (c machines) Read(p []byte) (int, error) {
	return c.ReadAsync(p).Wait(context.Background())
}

func (c machines) ReadAsync(p []byte) *job.Job[int] { return readAsync(c.Conn, p) }

func (c machines) Write(p []byte) (int, error) {
	return c.WriteAsync(p).Wait(context.Background())
}

func (c machines) WriteAsync(p []byte) *job.Job[int] { return writeAsync(c.Conn, p) }

var _ net.Conn = machines{}

//movenext:async
func read(c *netio.Conn, p []byte) (int, error) {
	job.Yield() // to where machines run
	return c.Read(p)
}

//movenext:async
func write(c *netio.Conn, p []byte) (int, error) {
	job.Yield()
	return c.Write(p)
}
