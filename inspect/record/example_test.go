package record_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

func Example() {
	s := manual.New()
	var file bytes.Buffer // or record.Create("schedule.rec")
	r := record.Start(&file, record.Of(s))
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named("hello"))
	r.Note("it is queued, and waits for a step")
	s.RunAll()
	fmt.Println(r.Stop())

	recording, err := record.Read(&file)
	fmt.Println(err)
	for _, e := range recording.Events {
		fmt.Println(recording.Describe(e))
	}
	// Output:
	// <nil>
	// <nil>
	// manual.Scheduler: submitted hello
	// it is queued, and waits for a step
	// manual.Scheduler: worker started worker=1
	// manual.Scheduler: begun hello worker=1
	// hello: started
	// hello: ended, Completed
	// manual.Scheduler: ended hello worker=1
	// manual.Scheduler: worker ended worker=1
}

func ExampleRecording_WritePage() {
	var file bytes.Buffer
	r := record.Start(&file)
	<-job.Go(context.Background(), func(context.Context) error { return nil }).Done()
	if err := r.Stop(); err != nil {
		fmt.Println(err)
	}
	recording, err := record.Read(&file)
	if err != nil {
		fmt.Println(err)
	}
	var page strings.Builder // a file, to be opened in a browser
	fmt.Println(recording.WritePage(&page, record.Title("one job")))
	fmt.Println(strings.Contains(page.String(), "one job"))
	// Output:
	// <nil>
	// true
}

func ExampleTrace() {
	stop := record.Trace()
	defer stop()
	var file bytes.Buffer // for go tool trace
	if err := trace.Start(&file); err != nil {
		fmt.Println(err)
	}
	<-job.Go(context.Background(), func(context.Context) error { return nil }, job.Named("hello")).Done()
	trace.Stop()
	fmt.Println(bytes.Contains(file.Bytes(), []byte("hello")))
	// Output: true
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r, err := record.Create(filepath.Join(dir, "schedule.rec"), record.MaxBytes(1<<20))
	fmt.Println(err)
	fmt.Println(r.Stop())
	// Output:
	// <nil>
	// <nil>
}
