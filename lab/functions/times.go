package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// gcTimes is the environment variable with the file to which a tool that the go command runs, by
// way of this program, adds its processor time.
const gcTimes = "FUNCTIONS_GC_TIMES"

// runTool runs a tool for the flag -toolexec.
func runTool(file string, args []string) (code int) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	p := slices.Index(args, "-p")
	if p < 0 || !strings.HasPrefix(filepath.Base(args[0]), "compile") {
		return 0
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, args[p+1], int64(processor(cmd)))
	}
	if err != nil {
		return 1
	}
	return 0
}

// processor returns the processor time of a command that has ended, and of those that it has run.
func processor(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// duration is how long a build has taken.
type duration struct{ passed, processor, gc time.Duration }

// timer builds packages that have changed. Each build has a file that no build had before.
type timer struct {
	dir      string // for files
	packages string // their folder
	self     string // this program
	built    int
}

func newTimer(dir string) (*timer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	packages, err := filepath.Abs(".")
	return &timer{dir: dir, packages: packages, self: self}, err
}

// newFile is a file that each build changes.
const newFile = "new.go"

// build builds pkg, in whose package change one file is new, with others that replace or join
// those on disk. It writes to out.
func (t *timer) build(pkg, change string, files map[string][]byte, out string, flags ...string) (d duration, err error) {
	t.built++
	all := map[string][]byte{filepath.Join(t.packages, change, newFile): fmt.Appendf(nil, "package %s\n\n// build %d of %d\n", filepath.Base(change), t.built, os.Getpid())}
	for path, text := range files {
		all[path] = text
	}
	temp, err := os.MkdirTemp(t.dir, "")
	if err != nil {
		return d, err
	}
	list, err := overlay(temp, all)
	if err != nil {
		return d, err
	}
	times := filepath.Join(temp, "times")
	args := append([]string{"build", "-toolexec", t.self, "-overlay", list, "-o", out}, flags...)
	cmd := exec.CommandContext(context.Background(), "go", append(args, "./"+pkg)...)
	cmd.Env = append(os.Environ(), gcTimes+"="+times)
	began := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return d, fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	d.passed, d.processor = time.Since(began), processor(cmd)
	text, err := os.ReadFile(times)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		if strings.HasSuffix(fields[0], "/"+change) {
			d.gc += time.Duration(n)
		}
	}
	return d, err
}

// medians calls each of the builds n times, in turns, and returns the median of each and of each
// kind of time.
func medians(n int, builds ...func() (duration, error)) ([]duration, error) {
	all := make([][]duration, len(builds))
	for run := range n + 1 {
		for i, build := range builds {
			d, err := build()
			if err != nil {
				return nil, err
			}
			if run > 0 { // the first one fills caches
				all[i] = append(all[i], d)
			}
		}
	}
	list := make([]duration, len(builds))
	for i, of := range all {
		list[i] = duration{
			passed:    median(of, func(d duration) time.Duration { return d.passed }),
			processor: median(of, func(d duration) time.Duration { return d.processor }),
			gc:        median(of, func(d duration) time.Duration { return d.gc }),
		}
	}
	return list, nil
}

func median(of []duration, kind func(duration) time.Duration) time.Duration {
	var list []time.Duration
	for _, d := range of {
		list = append(list, kind(d))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func reportTimes(w io.Writer, runs int) error {
	dir, err := os.MkdirTemp("", "functions")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := newTimer(dir)
	if err != nil {
		return err
	}
	for _, part := range []func(io.Writer, int) error{t.reportService, t.reportPoints, t.reportAdditions} {
		if err := part(w, runs); err != nil {
			return err
		}
	}
	return nil
}

const plainFolder = folder + "/plain"

// reportService compares package service with its plain form, and programs with each.
func (t *timer) reportService(w io.Writer, runs int) error {
	programs := map[string][]byte{
		filepath.Join(t.packages, folder, "program/main.go"):      fmt.Appendf(nil, program, "service", ".TakeAllAsync(ctx, nil).Wait(ctx)"),
		filepath.Join(t.packages, plainFolder, "program/main.go"): fmt.Appendf(nil, program, "service/plain", ".TakeAll(ctx, nil)"),
	}
	archive, one, other := filepath.Join(t.dir, "a"), filepath.Join(t.dir, "one"), filepath.Join(t.dir, "other")
	m, err := medians(runs,
		func() (duration, error) { return t.build(folder, folder, nil, archive) },
		func() (duration, error) { return t.build(plainFolder, plainFolder, nil, archive) },
		func() (duration, error) { return t.build(folder+"/program", folder, programs, one) },
		func() (duration, error) { return t.build(plainFolder+"/program", plainFolder, programs, other) },
	)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	line := func(name string, a, b time.Duration) {
		_, _ = fmt.Fprintf(table, "%s\t%v\t%v\t%.2f\n", name, a.Round(time.Millisecond), b.Round(time.Millisecond), float64(a)/float64(b))
	}
	_, _ = fmt.Fprintf(table, "\nmedian of %d\tservice\tplain\ttimes\n", runs)
	line("go build of the package", m[0].passed, m[1].passed)
	line("its processor time", m[0].processor, m[1].processor)
	line("gc alone, processor time", m[0].gc, m[1].gc)
	line("change, build and link a program", m[2].passed, m[3].passed)
	line("its processor time", m[2].processor, m[3].processor)
	var sizes [2]int64
	for i, build := range [][3]string{{folder, one}, {plainFolder, other}} {
		if _, err := t.build(build[0]+"/program", build[0], programs, build[1], "-ldflags=-s -w"); err != nil {
			return err
		}
		info, err := os.Stat(build[1])
		if err != nil {
			return err
		}
		sizes[i] = info.Size()
	}
	_, _ = fmt.Fprintf(table, "stripped program, bytes\t%d\t%d\t%.2f\n", sizes[0], sizes[1], float64(sizes[0])/float64(sizes[1]))
	return table.Flush()
}

// program serves the orders of a service over HTTP.
const program = `package main

import (
	"fmt"
	"net/http"

	service "github.com/movenext/movenext/lab/functions/%s"
)

func main() {
	s := service.New(new(service.Store), 8, 3)
	_ = http.ListenAndServe("localhost:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		total, err := s%s
		_, _ = fmt.Fprintln(w, total, err)
	}))
}
`

// copied is how many of each thing are added: one alone takes less time than the measurement
// varies.
const copied = 12

// reportAdditions prints what one more of each thing adds to the processor time of gc.
func (t *timer) reportAdditions(w io.Writer, runs int) error {
	_, _ = fmt.Fprintf(w, "\n| one more | ms of gc |\n| --- | ---: |\n")
	for _, a := range additions {
		var builds []func() (duration, error)
		for _, source := range []string{a.source, a.without} {
			var files map[string][]byte
			if source != "" {
				var err error
				if files, err = generated(map[string]string{"more.go": copies(source, copied)}); err != nil {
					return err
				}
			}
			builds = append(builds, func() (duration, error) { return t.build(folder, folder, files, filepath.Join(t.dir, "a")) })
		}
		m, err := medians(runs, builds...)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(w, "| %s | %.1f |\n", a.name, float64(m[0].gc-m[1].gc)/copied/float64(time.Millisecond))
	}
	return nil
}

// reportPoints prints the processor time of gc for a package of one function with many suspension
// points, and for its plain form.
func (t *timer) reportPoints(w io.Writer, runs int) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "\npoints\tgc\ta point\tplain\ttimes\t\n")
	for _, points := range []int{100, 200, 400, 800, 1500, 3000} {
		source := "\n//movenext:async\nfunc long(ctx context.Context) error {\n" +
			strings.Repeat("	if err := job.Sleep(ctx, 1); err != nil {\n		return err\n	}\n", points) + "	return nil\n}\n"
		long, err := generated(map[string]string{"service.go": imports + source})
		if err != nil {
			return err
		}
		plain := map[string][]byte{}
		for path, text := range long {
			plain[path] = text
		}
		plain[filepath.Join(t.packages, folder, "service_async.go")] = []byte("package service\n")
		m, err := medians(min(runs, 3),
			func() (duration, error) { return t.build(folder, folder, long, filepath.Join(t.dir, "a")) },
			func() (duration, error) { return t.build(folder, folder, plain, filepath.Join(t.dir, "a")) },
		)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "%d\t%.2f s\t%.2f ms\t%.2f s\t%.1f\t\n", points, m[0].gc.Seconds(),
			m[0].gc.Seconds()*1000/float64(points), m[1].gc.Seconds(), float64(m[0].gc)/float64(m[1].gc))
	}
	return table.Flush()
}
