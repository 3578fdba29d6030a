//go:build unix

package netio_test

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/netio"
)

// A read may end before the data do: where a descriptor was sent along, and at the mark of urgent
// data. The rest is not new, so no event reports it.
func TestWhatFollowsAShortReadIsRead(t *testing.T) {
	for _, c := range []struct {
		name, network, want string
		send                func(t *testing.T, peer net.Conn)
	}{
		{"a descriptor", "unix", "onetwo", func(t *testing.T, peer net.Conn) {
			_, _, err := peer.(*net.UnixConn).WriteMsgUnix([]byte("one"), syscall.UnixRights(int(os.Stdin.Fd())), nil)
			require.NoError(t, err)
		}},
		{"urgent data", "tcp", "onetwo", func(t *testing.T, peer net.Conn) {
			_, err := peer.Write([]byte("one"))
			require.NoError(t, err)
			raw, err := peer.(*net.TCPConn).SyscallConn()
			require.NoError(t, err)
			var failed error
			require.NoError(t, raw.Control(func(fd uintptr) { failed = syscall.Sendto(int(fd), []byte("!"), syscall.MSG_OOB, nil) }))
			require.NoError(t, failed)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listen(t, c.network)
			other, far := pipe(t, "tcp")
			for range 20 {
				peer, err := net.Dial(c.network, l.Addr().String())
				require.NoError(t, err)
				conn, err := l.Accept()
				require.NoError(t, err)
				c.send(t, peer)
				_, err = peer.Write([]byte("two"))
				require.NoError(t, err)
				passByte(t, other, far)
				require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
				var got []byte
				for len(got) < len(c.want) {
					buf := make([]byte, 64)
					n, err := conn.Read(buf)
					require.NoError(t, err, "after %q", got)
					got = append(got, buf[:n]...)
				}
				assert.Equal(t, c.want, string(got))
				require.NoError(t, conn.Close())
				require.NoError(t, peer.Close())
			}
		})
	}
}

// passByte passes a byte over another connection, whose event comes after all before it. The
// reader waits before the byte is written.
func passByte(t *testing.T, from, to *netio.Conn) {
	t.Helper()
	read := job.Run(context.Background(), func(context.Context) (int, error) { return to.Read(make([]byte, 1)) })
	require.Eventually(t, func() bool { return read.Status() == job.Running }, 10*time.Second, time.Millisecond)
	_, err := from.Write([]byte("."))
	require.NoError(t, err)
	_, err = read.Wait(context.Background())
	require.NoError(t, err)
}
