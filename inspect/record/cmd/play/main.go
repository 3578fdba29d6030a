// Play converts a recording of package record into a readable form:
//
//	go run github.com/movenext/movenext/inspect/record/cmd/play -o page.html schedule.rec
//
// The flag -format sets the form: html, a page that plays the schedule; text, one line for
// each event. A truncated recording, such as that of a program that was killed, is shown up to
// its end, with a warning.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/movenext/movenext/inspect/record"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "play:", err)
		}
		os.Exit(2)
	}
}

// run is the command with its arguments. It writes its output to the file of the flag -o, or to
// stdout.
func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("play", flag.ContinueOnError)
	flags.SetOutput(stderr)
	format := flags.String("format", "html", "html or text")
	output := flags.String("o", "", "the `file` to write; without it, standard output")
	title := flags.String("title", "", "the title of the page; without it, the name of the recording")
	source := flags.Bool("source", false, "put the lines of the source around each place into the page")
	from := flags.Int("from", 0, "the first event of the page")
	to := flags.Int("to", 0, "the event before which the page ends; 0: so many after -from as a page has by default")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: play [flags] recording")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return errors.New("one recording is needed")
	}
	recording, err := read(flags.Arg(0), stderr)
	if err != nil {
		return err
	}
	name := *title
	if name == "" {
		base := filepath.Base(flags.Arg(0))
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if *to <= 0 {
		*to = *from + record.DefaultEvents
	}
	opts := []record.PageOption{record.Title(name), record.Events(*from, *to)}
	if *source {
		opts = append(opts, record.Sources(os.ReadFile))
	}
	return write(*output, stdout, func(w io.Writer) error {
		switch *format {
		case "html":
			return recording.WritePage(w, opts...)
		case "text":
			return recording.WriteText(w)
		default:
			return fmt.Errorf("the format %q is none of html, text", *format)
		}
	})
}

// read reads a recording, and warns if it is truncated.
func read(name string, stderr io.Writer) (*record.Recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was opened only for reading
	recording, err := record.Read(f)
	if err != nil && len(recording.Events) == 0 {
		return nil, err
	}
	if err != nil {
		fmt.Fprintln(stderr, "play: the recording is not whole:", err)
	}
	return recording, nil
}

// write calls f with the file of that name, or with stdout if there is none.
func write(name string, stdout io.Writer, f func(io.Writer) error) error {
	if name == "" {
		return f(stdout)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(f(w), w.Flush(), file.Close())
}
