package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// editor is what an editor says to a debugger, in the debug adapter protocol.
type editor struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	sent int
}

// message is one of the protocol's messages.
type message struct {
	Type, Event, Command, Message string
	Success                       bool
	Body                          struct {
		ThreadID    int `json:"threadId"`
		StackFrames []struct {
			Line   int
			Source struct{ Path string }
		} `json:"stackFrames"`
	}
}

// edits starts a debugger and returns its editor.
func (n *newcomer) edits(t *testing.T) *editor {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec dlv dap --client-addr="+listener.Addr().String())
	cmd.Dir, cmd.Env = n.dir, n.env
	require.NoError(t, cmd.Start())
	conn, err := listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close() // ends the debugger
		_ = listener.Close()
		_ = cmd.Wait()
	})
	return &editor{t: t, conn: conn, in: bufio.NewReader(conn)}
}

// send sends a request, and waits for a message of a type and with a name: a response has that of
// the request.
func (e *editor) send(command string, arguments any, kind, name string) message {
	e.t.Helper()
	e.sent++
	data, err := json.Marshal(map[string]any{"seq": e.sent, "type": "request", "command": command, "arguments": arguments})
	require.NoError(e.t, err)
	_, err = fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(data), data)
	require.NoError(e.t, err)
	for {
		var length int
		_, err := fmt.Fscanf(e.in, "Content-Length: %d\r\n\r\n", &length)
		require.NoError(e.t, err)
		data := make([]byte, length)
		_, err = io.ReadFull(e.in, data)
		require.NoError(e.t, err)
		var m message
		require.NoError(e.t, json.Unmarshal(data, &m))
		require.True(e.t, m.Type != "response" || m.Success, string(data))
		if m.Type == kind && m.Event+m.Command == name {
			return m
		}
	}
}

// editorStops returns the lines where a program stops that an editor has started, with breakpoints
// at lines of a file, which it names by the full path.
func (n *newcomer) editorStops(t *testing.T, file string, lines ...int) (stopped []int) {
	t.Helper()
	e := n.edits(t)
	e.send("initialize", map[string]any{"adapterID": "go", "pathFormat": "path"}, "response", "initialize")
	e.send("launch", map[string]any{"mode": "exec", "program": filepath.Join(n.dir, "shop", "shop.exe"), "cwd": n.dir}, "event", "initialized")
	var breakpoints []map[string]int
	for _, line := range lines {
		breakpoints = append(breakpoints, map[string]int{"line": line})
	}
	e.send("setBreakpoints", map[string]any{"source": map[string]string{"path": file}, "breakpoints": breakpoints}, "response", "setBreakpoints")
	at := e.send("configurationDone", nil, "event", "stopped")
	for range lines {
		frames := e.send("stackTrace", map[string]any{"threadId": at.Body.ThreadID, "levels": 1}, "response", "stackTrace").Body.StackFrames
		require.Equal(t, file, frames[0].Source.Path)
		if stopped = append(stopped, frames[0].Line); len(stopped) < len(lines) {
			at = e.send("continue", map[string]int{"threadId": at.Body.ThreadID}, "event", "stopped")
		}
	}
	e.send("disconnect", map[string]bool{"terminateDebuggee": true}, "response", "disconnect")
	return stopped
}

// launchFlags returns the flags of the compiler that movenext init has given to VS Code, for the
// packages of this module.
func (n *newcomer) launchFlags(t *testing.T) string {
	t.Helper()
	data := must[[]byte](t)(os.ReadFile(filepath.Join(n.dir, ".vscode", "launch.json")))
	var launch struct{ Configurations []struct{ BuildFlags string } }
	require.NoError(t, json.Unmarshal(data, &launch))
	flags, ok := strings.CutPrefix(launch.Configurations[0].BuildFlags, "-gcflags='all=")
	require.True(t, ok)
	return strings.ReplaceAll(strings.TrimSuffix(flags, "'"), "${workspaceFolder}", filepath.ToSlash(n.dir))
}
