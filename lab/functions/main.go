// Functions counts the functions that the compiler makes of a package that uses this module. What
// a package of users pays is mostly their number: gc compiles the instances of generic types again
// in each package.
//
//	go -C lab run ./functions
//
// It prints the numbers for package service and its plain form, and then what one more of each
// thing adds to package service: docs/costs.md quotes the table.
//
//	-times     measure times, too: those of package service and of its plain form side by side,
//	           of one more of each thing, and of functions with up to 3 000 suspension points
//	-runs n    how often each time is measured; the median counts
//
// Times need a machine that does nothing else.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen"
)

const folder = "functions/service"

func main() {
	if file := os.Getenv(gcTimes); file != "" {
		os.Exit(runTool(file, os.Args[1:]))
	}
	times := flag.Bool("times", false, "")
	runs := flag.Int("runs", 9, "")
	flag.Parse()
	err := report(os.Stdout)
	if err == nil && *times {
		err = reportTimes(os.Stdout, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

// size is what the compiler makes of a package.
type size struct{ functions, bytes int }

// report prints the sizes of package service and its plain form, and of the additions.
func report(w io.Writer) error {
	service, plain, err := both()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, quote(service, plain))
	_, _ = fmt.Fprint(w, "\n| one more | functions | bytes |\n| --- | ---: | ---: |\n")
	for _, a := range additions {
		added, err := a.measure(service)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintln(w, a.row(added))
	}
	return nil
}

// both returns the sizes of package service and of its plain form.
func both() (service, plain size, err error) {
	service, err = compile(folder, nil)
	if err == nil {
		plain, err = compile(folder+"/plain", nil)
	}
	return service, plain, err
}

func quote(service, plain size) string {
	return fmt.Sprintf("service: %d functions, %s; plain: %d functions, %s", service.functions, service.kilobytes(), plain.functions, plain.kilobytes())
}

func (s size) kilobytes() string { return fmt.Sprintf("%.1f kB", float64(s.bytes)/1000) }

// measure returns what the addition adds to package service, which has the given size.
func (a *addition) measure(service size) (size, error) {
	with, err := added(copies(a.source, 1))
	if err != nil {
		return size{}, err
	}
	without := service
	if a.without != "" {
		if without, err = added(copies(a.without, 1)); err != nil {
			return size{}, err
		}
	}
	return size{with.functions - without.functions, with.bytes - without.bytes}, nil
}

func (a *addition) row(s size) string {
	return fmt.Sprintf("| %s | %d | %s |", a.name, s.functions, s.kilobytes())
}

// added returns the size of package service with one more file, which has the given source, and
// what is generated from it.
func added(source string) (size, error) {
	files, err := generated(map[string]string{"more.go": source})
	if err != nil {
		return size{}, err
	}
	return compile(folder, files)
}

// generated returns files of package service, given by their text after the package clause, and
// what is generated from them, by path.
func generated(sources map[string]string) (map[string][]byte, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, source := range sources {
		files[filepath.Join(dir, name)] = []byte("package service\n\n" + source)
	}
	result, err := codegen.Generate(codegen.Config{Dir: dir, Overlay: files, DryRun: true}, ".")
	if err != nil {
		return nil, err
	}
	if len(result.Diagnostics) > 0 {
		return nil, errors.New(result.Diagnostics[0].String())
	}
	for _, f := range result.Files {
		files[f.Path] = f.Data
	}
	return files, nil
}

// compile compiles the package in a folder below this one, with files that replace or join those
// on disk.
func compile(pkg string, files map[string][]byte) (size, error) {
	temp, err := os.MkdirTemp("", "functions")
	if err != nil {
		return size{}, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	list, err := overlay(temp, files)
	if err != nil {
		return size{}, err
	}
	archive := filepath.Join(temp, "package.a")
	// whatever flags GOFLAGS has, which change the number of functions
	if _, err := run("go", "build", "-gcflags=", "-overlay", list, "-o", archive, "./"+pkg); err != nil {
		return size{}, err
	}
	symbols, err := run("go", "tool", "nm", "-size", archive)
	return count(symbols), err
}

// overlay writes files and a list of them for the flag -overlay to a folder, and returns the path
// of the list.
func overlay(temp string, files map[string][]byte) (list string, err error) {
	replace := map[string]string{}
	for path, content := range files {
		replace[path] = filepath.Join(temp, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(replace[path], content, 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(struct{ Replace map[string]string }{replace})
	if err != nil {
		return "", err
	}
	list = filepath.Join(temp, "overlay.json")
	return list, os.WriteFile(list, text, 0o600)
}

// count adds up the functions among the symbols of an archive. A line has an address, a size, a
// kind and a name; the kinds of functions are T and t.
func count(symbols []byte) (s size) {
	for line := range strings.Lines(string(symbols)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[2] != "T" && fields[2] != "t" {
			continue
		}
		bytes, _ := strconv.Atoi(fields[1])
		s.functions++
		s.bytes += bytes
	}
	return s
}

func run(name string, args ...string) ([]byte, error) {
	var out, failed bytes.Buffer
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &failed)
	}
	return out.Bytes(), nil
}
