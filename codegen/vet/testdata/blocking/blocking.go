package blocking

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
)

//movenext:async
func calls(ctx context.Context, j *job.Job[int], wg *sync.WaitGroup, f *os.File, cmd *exec.Cmd) (int, error) {
	time.Sleep(time.Second) // want `time\.Sleep blocks the worker; it waits on its goroutine and has no twin; call job\.Sleep, which suspends \[blocking\]`

	n, err := j.Wait(ctx) // want `j\.Wait blocks the worker`
	if err != nil {
		return n, err
	}

	wg.Wait() // want `wg\.Wait blocks the worker; it waits on its goroutine and has no twin; use a job\.Scope, or await job\.WhenAll \[blocking\]`

	data, err := os.ReadFile("name") // want `os\.ReadFile blocks the worker; it waits on its goroutine and has no twin; run it with job\.Blocking, whose job can be awaited \[blocking\]`
	if err != nil {
		return len(data), err
	}

	if err := os.WriteFile("name", data, 0); err != nil { // want `os.WriteFile blocks`
		return 0, err
	}

	err = cmd.Run() // want `cmd\.Run blocks the worker; it waits on its goroutine and has no twin; run it with job.Blocking, whose job can be awaited \[blocking\]`

	println(err)

	return f.Write(data) // want `f.Write blocks`
}

//movenext:async
func network(addr string) (net.Conn, error) {
	response, err := http.Get(addr) // want `http.Get blocks`
	if err != nil {
		return nil, err
	}
	println(response)

	return net.Dial("tcp", addr) // want `net.Dial blocks`
}

//movenext:async
func channels(ctx context.Context, j *job.Job[int], in <-chan int, out chan<- int) int {
	<-in // want `a receive blocks the worker; a machine cannot suspend on a plain channel; use a coord\.Channel, which suspends \[blocking\]`

	out <- 1 // want `a send blocks the worker`

	v := <-in // want `a receive blocks`

	<-j.Done() // want `a receive from Done blocks the worker; a machine cannot suspend on a plain channel; call Await, which suspends \[blocking\]`

	<-time.After(time.Second) // want `a receive from a timer blocks the worker; a machine cannot suspend on a plain channel; call job\.Sleep, which suspends \[blocking\]`

	for range in { // want `a loop over a channel blocks`
	}

	select { // want `a select blocks the worker`
	case out <- 1:
	case v = <-in:
		<-in // want `a receive blocks`
	}
	select {
	case <-in:
	default:
	}
	w, ok := <-in // want `a receive blocks`
	if ok {
		return w + <-in // want `a receive blocks`
	}
	return v
}

//movenext:async
func literals(ctx context.Context) {
	func() {
		time.Sleep(1) // want `time.Sleep blocks`
	}()
	defer func() {
		time.Sleep(2) // want `time.Sleep blocks`
	}()
	go func() {
		time.Sleep(3) // a goroutine of its own
	}()
	go time.Sleep(4)
	kept := func() {
		time.Sleep(5) // from any caller
	}
	_ = kept
	_ = job.Go(ctx, func(ctx context.Context) error {
		time.Sleep(6) // want `time.Sleep blocks`
		return nil
	})
}

func plain(in chan int) {
	time.Sleep(time.Second)
	<-in
}
