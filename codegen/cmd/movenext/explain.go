package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/explain"
)

const explainUsage = `usage: movenext explain [flags] [package [function ...]] [-- command ...]

explain draws the machines of annotated functions: suspension points, the ways
between them, the frame, and what of it is needed at each point, in bytes of
amd64. A function is named as Func or Type.Method; without any all are shown.

With a command, such as go run . or go test -run X ., the command is run once
in a build whose machines write down each step, and the page shows the run.
Nothing is written beside the source. The command has to be one of the go
command's, without arguments that choose an overlay.

  -format form   text (default), mermaid, dot, html
  -o file        write to file instead of standard output
  -tags list, -goos os, -goarch arch, -C dir   as for generate
`

var errOnlyPages = errors.New("only a page shows a run: add -format=html")

// explainOptions are the options on the command line of explain.
type explainOptions struct {
	config    codegen.Config
	format    string
	out       string
	pattern   string
	functions []string
	command   []string
}

func explainMachines(args []string, stdout, stderr io.Writer) int {
	o, err := parseExplain(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return exitUsage
	}
	machines, found, err := codegen.Explain(o.config, []string{o.pattern}, o.functions...)
	if len(found) > 0 {
		printLines(stdout, stderr, "explain", &codegen.Result{Diagnostics: found})
		return exitFindings
	}
	if err == nil {
		err = o.write(machines, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(printed{stderr}, "movenext: %s\n", strings.TrimPrefix(err.Error(), "codegen: "))
		return exitUsage
	}
	return exitOK
}

// parseExplain reads the command line. It prints a usage error before returning it.
func parseExplain(args []string, stderr io.Writer) (*explainOptions, error) {
	o := &explainOptions{pattern: "."}
	if i := slices.Index(args, "--"); i >= 0 {
		args, o.command = args[:i], args[i+1:]
	}
	flags := flag.NewFlagSet("movenext explain", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, explainUsage) }
	flags.StringVar(&o.format, "format", "text", "")
	flags.StringVar(&o.out, "o", "", "")
	addBuildFlags(flags, &o.config)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		o.pattern, o.functions = rest[0], rest[1:]
	}
	var err error
	switch {
	case !slices.Contains([]string{"text", "mermaid", "dot", "html"}, o.format):
		err = fmt.Errorf("unknown format %q: want text, mermaid, dot or html", o.format)
	case o.command != nil && o.format != "html":
		err = errOnlyPages
	case o.command != nil && len(o.command) == 0:
		err = errors.New("there is no command behind --")
	}
	if err != nil {
		fmt.Fprintf(stderr, "movenext: %v\n", err)
	}
	return o, err
}

// write writes the machines to the chosen output.
func (o *explainOptions) write(machines []*codegen.Machine, stdout, stderr io.Writer) (err error) {
	var steps []explain.Step
	if o.command != nil {
		if steps, err = o.record(stdout, stderr); err != nil {
			return err
		}
	}
	for _, m := range machines {
		m.File = filepath.ToSlash(relative(m.File))
	}
	var text bytes.Buffer // of whole characters
	defer func() { _, failed := text.WriteTo(printed{stdout}); err = errors.Join(err, failed) }()
	w := io.Writer(&text)
	if o.out != "" {
		file, err := os.Create(o.out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w = file
	}
	switch o.format {
	case "mermaid":
		return explain.Mermaid(w, machines)
	case "dot":
		return explain.Dot(w, machines)
	case "html":
		return explain.HTML(w, o.title(), machines, steps)
	}
	return explain.Text(w, machines)
}

func (o *explainOptions) title() string {
	if len(o.functions) > 0 {
		return strings.Join(o.functions, ", ")
	}
	return o.pattern
}

// record runs the command in a build that records, and returns the recording. The command's
// own output goes to standard error, because standard output is for the page.
func (o *explainOptions) record(stdout, stderr io.Writer) ([]explain.Step, error) {
	dir, err := os.MkdirTemp("", "movenext-explain-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sink := filepath.Join(dir, "steps")
	overlay, found, err := codegen.Recorded(o.config, sink, o.pattern)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		printLines(stdout, stderr, "explain", &codegen.Result{Diagnostics: found})
		return nil, errors.New("nothing was run")
	}
	file, err := writeOverlay(dir, overlay)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Dir = o.config.Dir
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+file))
	cmd.Stdout, cmd.Stderr = stderr, stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running %s: %w", strings.Join(o.command, " "), err)
	}
	steps, err := os.Open(sink)
	if err != nil {
		return nil, fmt.Errorf("%s has not run %s: there is no recording", strings.Join(o.command, " "), o.pattern)
	}
	defer func() { _ = steps.Close() }()
	return explain.ReadRecording(steps)
}

// writeOverlay writes the files of an overlay into dir together with their list for the go
// command, and returns the name of the list.
func writeOverlay(dir string, overlay map[string][]byte) (string, error) {
	replace := map[string]string{}
	for path, data := range overlay {
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, data, 0o600); err != nil {
			return "", err
		}
		replace[path] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, list, 0o600)
}
