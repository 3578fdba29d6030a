// Command figures counts the lines of the repository's Go files, by house and kind: what one
// person has to hold, and what is generated.
//
//	go -C lab run ./figures           this tree
//	go -C lab run ./figures REV       the tree of a revision, and what has changed since
//
// Comments and blank lines count; files in testdata folders do not. With a revision it also prints
// how many lines git finds moved, and how many are new or gone.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"text/tabwriter"
)

func main() {
	root := flag.String("root", "..", "the folder of the repository")
	flag.Parse()
	if err := run(os.Stdout, *root, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// run prints the figures of HEAD or, with a revision, those of both and the difference.
func run(out io.Writer, root, revision string) error {
	now, err := count(root, "HEAD")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if revision == "" {
		for _, k := range kinds {
			fmt.Fprintf(table, "%s\t%d\t\n", k, now[k])
		}
		return table.Flush()
	}
	before, err := count(root, revision)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		fmt.Fprintf(table, "%s\t%d\t%d\t%+d\t\n", k, before[k], now[k], now[k]-before[k])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return changes(out, root, revision)
}

// The kinds of lines, in the order of the table. Those of the core are part of all source.
const (
	core           = "source of the core"
	source         = "source in all"
	tests          = "tests"
	generated      = "generated source"
	generatedTests = "generated tests"
)

var kinds = []string{core, source, tests, generated, generatedTests}

// besides are the folders of the root module that are not the core.
var besides = []string{"durable/", "examples/", "docs/", "tools/"}

// count counts the lines of each kind in a revision.
func count(root, revision string) (map[string]int, error) {
	names, err := git(root, "ls-tree", "-r", "-z", "--name-only", revision)
	if err != nil {
		return nil, err
	}
	files := strings.Split(strings.Trim(string(names), "\x00"), "\x00")
	var modules, sources []string
	for _, name := range files {
		switch {
		case strings.Contains("/"+name, "/testdata/"):
		case path.Base(name) == "go.mod" && name != "go.mod":
			modules = append(modules, path.Dir(name)+"/")
		case strings.HasSuffix(name, ".go"):
			sources = append(sources, name)
		}
	}
	lines := map[string]int{}
	for _, name := range sources {
		text, err := git(root, "show", revision+":"+name)
		if err != nil {
			return nil, err
		}
		n := bytes.Count(text, []byte("\n"))
		isTest := strings.HasSuffix(name, "_test.go")
		switch {
		case isGenerated(text) && isTest:
			lines[generatedTests] += n
		case isGenerated(text):
			lines[generated] += n
		case isTest:
			lines[tests] += n
		default:
			lines[source] += n
			if !under(name, modules) && !under(name, besides) {
				lines[core] += n
			}
		}
	}
	return lines, nil
}

func under(name string, folders []string) bool {
	for _, folder := range folders {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// isGenerated reports whether a file has the go command's mark before its package clause.
func isGenerated(text []byte) bool {
	head, _, _ := bytes.Cut(text, []byte("\npackage "))
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(line, []byte("// Code generated ")) && bytes.HasSuffix(bytes.TrimSpace(line), []byte("DO NOT EDIT.")) {
			return true
		}
	}
	return false
}

// changes prints how many lines of Go files have moved since the revision, and how many are new or
// gone. Git marks the lines of a block that it finds elsewhere by other colours.
func changes(out io.Writer, root, revision string) error {
	diff, err := git(root,
		"-c", "color.diff.old=red", "-c", "color.diff.new=green",
		"-c", "color.diff.oldMoved=magenta", "-c", "color.diff.newMoved=cyan",
		"diff", "--color=always", "--color-moved=blocks", "-M", "--unified=0", revision, "HEAD", "--", "*.go", ":!*/testdata/*")
	if err != nil {
		return err
	}
	var added, removed, moved int
	for line := range bytes.Lines(diff) {
		switch {
		case bytes.HasPrefix(line, []byte("\x1b[32m+")):
			added++
		case bytes.HasPrefix(line, []byte("\x1b[31m-")):
			removed++
		case bytes.HasPrefix(line, []byte("\x1b[36m+")):
			moved++
		}
	}
	_, err = fmt.Fprintf(out, "%d lines added, %d removed, %d moved (files that were renamed as a whole not counted)\n", added, removed, moved)
	return err
}

func git(root string, args ...string) ([]byte, error) {
	command := exec.Command("git", args...)
	command.Dir = root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, stderr.Bytes())
	}
	return out, nil
}
