package netio

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pairOf returns both ends of a connection of l.
func pairOf(t *testing.T, l *Listener) (far, near *Conn) {
	t.Helper()
	far, err := Dial(context.Background(), "tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = far.Close() })
	near, err = l.Accept()
	require.NoError(t, err)
	return far, near
}

func TestAListenerKeepsWhatIsGivenBack(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, near := pairOf(t, l)
	l.socket.keep(near)
	got, err := l.Accept()
	require.NoError(t, err)
	assert.Same(t, near, got, "the next accept gets it")

	waiting := l.AcceptAsync()
	assert.False(t, waiting.IsCompleted())
	l.socket.keep(near)
	got, err = waiting.Await()
	require.NoError(t, err)
	assert.Same(t, near, got, "an accept that waits gets it")

	l.socket.keep(near)
	require.NoError(t, l.Close())
	require.Error(t, near.Close(), "is closed with the listener")

	l, err = Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	far, near := pairOf(t, l)
	require.NoError(t, l.Close())
	l.socket.keep(near)
	_, err = far.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "a closed listener keeps nothing")
}
