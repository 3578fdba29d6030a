// Schedules to watch: each lesson is a small program that runs on a real scheduler and is
// recorded. The command writes the recordings, a page that plays each of them, and an index:
//
//	go run ./examples/42-schedules -o schedules
//
// Open schedules/index.html in a browser.
//
// The documents that have these figures: docs/sources/README.md.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
)

// lesson is a program to be recorded.
type lesson struct {
	Name, Title string
	Look        string // what to look for
	run         func(context.Context, *record.Recorder) error
}

var lessons = []lesson{
	{"global-and-local", "Global and local queues", "t1 and t2 go to the worker's own queue, which it empties from the newest; t3 and t4 ask for fairness and go to the shared queue, oldest first: t2, t1, t3, t4.", globalAndLocal},
	{"all-orders", "t1, t2 and t3 in all orders", "Three jobs that are submitted from outside may run in six orders. A simulation takes each of them once.", allOrders},
	{"inlining", "A wait runs what it waits for", "With one worker, the outer job waits for data1, data2 and data3. Each is taken from the queue and runs within the job that waits.", inlining},
	{"injection", "Injection of workers", "Both workers block without saying so, and work is queued. After some milliseconds the pool adds a worker, and another one.", injection},
	{"hill-climbing", "Hill climbing", "The pool measures its throughput and searches for the number of workers that makes the most of it: two curves.", hillClimbing},
	{"processors", "P, M and run queues", "Work from outside goes to the shared queue; what a job starts goes to its processor's queue. The notes are the decisions of the workers.", processors},
	{"tick-61", "The 61st tick", "A job that feeds itself would keep its processor forever. Every 61st search looks into the shared queue first.", tick61},
	{"stealing-half", "Stealing half", "One processor is held by a job that has started seven. The other one steals three of them, then two, one, and the last.", stealingHalf},
	{"hand-off", "Hand-off", "A worker says that it blocks. Its processor, with the queue, is handed to another worker, which runs the rest.", handOff},
	{"round-robin", "Round-robin batches", "A batch of twelve is queued, then a batch of four. The queues take turns, so the small batch does not wait for the large one.", roundRobin},
	{"ums", "User-mode scheduling", "One thread, three workers. The notes are the activations with their reasons, and what comes from the completion list; the curve is the ready queue.", userMode},
}

func main() {
	folder := flag.String("o", "schedules", "the `folder` to write to")
	flag.Parse()
	if err := write(context.Background(), *folder, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write records all lessons and writes them to the folder.
func write(ctx context.Context, folder string, out io.Writer) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for _, l := range lessons {
		if err := l.write(ctx, folder); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
		fmt.Fprintf(out, "%s.html: %s\n", l.Name, l.Title)
	}
	return file(filepath.Join(folder, "index.html"), func(w io.Writer) error { return index.Execute(w, lessons) })
}

// record runs the lesson and returns the recording in the file of that name.
func (l *lesson) record(ctx context.Context, name string) (*record.Recording, error) {
	// The page shows where jobs were made.
	defer job.SetDiagnostics(job.SetDiagnostics(job.RecordCreation))
	r, err := record.Create(name)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(l.run(ctx, r), r.Stop()); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	recording, err := record.Read(f)
	return recording, errors.Join(err, f.Close())
}

func (l *lesson) write(ctx context.Context, folder string) error {
	recording, err := l.record(ctx, filepath.Join(folder, l.Name+".rec"))
	if err != nil {
		return err
	}
	return file(filepath.Join(folder, l.Name+".html"), func(w io.Writer) error {
		return recording.WritePage(w, record.Title(l.Title), record.Sources(source))
	})
}

// own are the sources of the lessons. They are part of the program: it shows them wherever
// it was built.
//
//go:embed dotnet.go golang.go others.go
var own embed.FS

// source returns the text of one of the program's files, under the name by which the
// compiler knows it.
func source(file string) ([]byte, error) {
	return own.ReadFile(path.Base(filepath.ToSlash(file)))
}

func file(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

var index = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Schedules</title>
<style>:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em }</style></head>
<body><h1>Schedules</h1>
<dl>{{range .}}<dt><a href="{{.Name}}.html">{{.Title}}</a></dt><dd>{{.Look}}</dd>
{{end}}</dl></body></html>
`))
