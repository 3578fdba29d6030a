//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/netio"
)

// leaving is a user's connection with methods that do not return.
type leaving struct {
	*net.TCPConn
	leave func()
}

func (l leaving) Read([]byte) (int, error) { l.leave(); return 0, nil }

func (l leaving) Write(p []byte) (int, error) {
	if len(p) == 1 {
		l.leave()
	}
	return l.TCPConn.Write(p)
}

func (l leaving) SetWriteDeadline(time.Time) error { l.leave(); return nil }

// On these systems the methods of a connection that was adopted run on goroutines of this package.
func TestAConnectionWhoseMethodsDoNotReturnFailsTheOperation(t *testing.T) {
	for _, d := range departures {
		t.Run(d.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			nc, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			far, err := l.Accept()
			require.NoError(t, err)
			require.NoError(t, l.Close())
			c, err := netio.Adopt(leaving{nc.(*net.TCPConn), d.leave})
			require.NoError(t, err)
			_, err = c.ReadAsync(make([]byte, 1)).Await()
			d.check(t, err)
			_, err = c.WriteAsync(make([]byte, 1)).Await()
			d.check(t, err)

			ctx, cancel := context.WithCancel(context.Background())
			writes := c.WriteAllAsync(ctx, make([]byte, 1<<24))
			_, err = far.Read(make([]byte, 1))
			require.NoError(t, err)
			cancel() // which would end the write by a deadline
			read := make(chan error)
			go func() {
				_, err := io.Copy(io.Discard, far)
				read <- err
			}()
			_, err = writes.Await()
			d.check(t, err)
			require.NoError(t, c.Close())
			require.NoError(t, <-read)
			require.NoError(t, far.Close())
		})
	}
}
