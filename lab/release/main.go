// Release checks what a tag needs, and makes it.
//
//	go -C lab run ./release              checks the commit
//	go -C lab run ./release v0.3.0       numbers the changelog's entries and makes all tags as
//	                                     well, and prints the command that publishes them
//
// It compares the exported API with that of the last tag, and the numbers of the contract between
// generated code and runtime. Then it runs the tests that do with a release what a newcomer does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	flag.Parse()
	r := &release{root: "..", version: flag.Arg(0)}
	err := r.check()
	if err == nil {
		fmt.Fprintln(os.Stdout, "a newcomer's first day, which takes some minutes")
		_, err = run(".", nil, "go", "test", "-count=1", "-run=^TestANewcomers", "./release")
	}
	if err == nil && r.version != "" {
		err = r.tag(time.Now().Format(time.DateOnly))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// check makes the checks that need no other build.
func (r *release) check() error {
	return errors.Join(r.changelog(), r.contract(), r.modules(), r.api())
}
