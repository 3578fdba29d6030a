// Package record records what schedulers and jobs do, so that a schedule can be watched later: as
// a page that plays it, as text, or in go tool trace.
//
//	r, err := record.Create("schedule.rec")
//	…                    // the part of the program that is to be recorded
//	err = r.Stop()
//
// A recording has every event of packages schedulers and inspect, with the names of jobs and the
// lines of their functions, but no arguments or results. [Read] returns it, [Recording.WritePage]
// writes the page, and
//
//	go run github.com/movenext/movenext/inspect/record/cmd/play -o page.html schedule.rec
//
// does both. [Trace] writes the same events into the execution trace of package runtime/trace
// while the program runs.
//
// # A recording never stops the program
//
// Events are encoded in the middle of a scheduler's work, into memory, under one lock. A
// goroutine of the recorder writes them. If the writer fails, if it is slower than the program,
// or if the recording has reached its maximum size, the recording ends: the part already written
// remains readable, [Recorder.Stop] returns the reason, and [OnError] reports it at once. An
// event takes some ten bytes, and some half a microsecond of processor time (BenchmarkAJob);
// [OneIn] records only part of the work.
//
// # The format
//
// A recording is a line of text, which contains the name and version of the format, followed by
// entries. An entry begins with a byte that contains its type. Numbers are unsigned varints; a
// time is the number of nanoseconds since the previous entry with a time.
//
//	0  end        text: why the recording ended early; the empty text if it did not
//	1  text       length, bytes; texts are numbered from 1, and 0 is the empty text
//	2  place      text: function, text: file, line; numbered from 1
//	3  scheduler  text: name; numbered from 1
//	4  subject    the ID of the job or 0, text: name, place; numbered from 1
//	5  note       time, text
//	6  value      time, text: the name of the curve, 8 bytes: an IEEE 754 number
//	32 + kind     an event of package schedulers: time, scheduler, a set of fields, fields
//	64 + kind     a moment of package inspect: time, subject, a set of fields, fields
//
// Every entry follows the entries to which it refers, so a truncated recording can be read up to
// where it ends. A subject is what work is about: a job, whatever work items it is submitted as,
// or a work item that belongs to no job.
package record
