//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/usage"
)

// childVariable is set in the environment of a server process, to the server's name.
const childVariable = "MOVENEXT_SOCKETS_SERVER"

// A child prints the address on which it listens. Then it answers each line that it reads with
// one line, until there are no more. Libraries may print other lines in between.
const (
	listening = "listening on: "
	answers   = "answer: "

	askUsage   = "usage"   // collects garbage first; the answer is a [consumption]
	askQuickly = "quickly" // the same without collecting
	askCompute = "compute" // keeps all processors computing from now on
)

// consumption is what a server has used so far.
type consumption struct {
	Resident   int64  `json:"resident"` // bytes
	CPU        int64  `json:"cpu"`      // ns
	Mallocs    uint64 `json:"mallocs"`
	Goroutines int    `json:"goroutines"`
}

// serveAs is the child's main function.
func serveAs(name string, in io.Reader, out io.Writer) error {
	c, err := contenderOf(name)
	if err != nil {
		return err
	}
	address, err := c.serve()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listening+address)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch lines.Text() {
		case askUsage:
			runtime.GC() // of two cycles the second frees what finalizers and pools held
			debug.FreeOSMemory()
		case askCompute:
			c.compute()
		}
		answer, err := json.Marshal(measureConsumption())
		if err != nil {
			return err
		}
		fmt.Fprintln(out, answers+string(answer))
	}
	return lines.Err()
}

func measureConsumption() consumption {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return consumption{
		Resident: usage.MemoryOf(os.Getpid()), CPU: int64(usage.CPU()),
		Mallocs: m.Mallocs, Goroutines: runtime.NumGoroutine(),
	}
}

var errEnded = errors.New("sockets: the server has ended")

// child is a server in a process of its own.
type child struct {
	address string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errors  *strings.Builder
}

// start starts a server and waits until it listens.
func start(ctx context.Context, name string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: exec.CommandContext(ctx, self), errors: new(strings.Builder)}
	c.command.Env = append(os.Environ(), childVariable+"="+name)
	c.command.Stderr = c.errors
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	if c.address, err = c.line(listening); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// line returns the rest of the next line that begins with begin. If the output ends first,
// [child.stop] reports the reason: the server's standard error is complete only after Wait.
func (c *child) line(begin string) (string, error) {
	for c.out.Scan() {
		if rest, found := strings.CutPrefix(c.out.Text(), begin); found {
			return rest, nil
		}
	}
	return "", errors.Join(errEnded, c.out.Err())
}

// ask queries the resources that the server has used.
func (c *child) ask(question string) (consumption, error) {
	var a consumption
	if _, err := fmt.Fprintln(c.in, question); err != nil {
		return a, err
	}
	line, err := c.line(answers)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal([]byte(line), &a)
}

// stop ends the server.
func (c *child) stop() error {
	_ = c.in.Close()
	if err := c.command.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, c.errors)
	}
	return nil
}
