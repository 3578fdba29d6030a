// Release checks what a tag needs, and makes it.
//
//	go -C lab run ./release              checks the commit
//	go -C lab run ./release v0.3.0       numbers the changelog's entries and makes all tags as
//	                                     well, and prints the command that publishes them
//
// It compares the exported API with that of the last tag, and the numbers of the contract between
// generated code and runtime. It serves the commit as a module from a folder, and installs the
// command, adds it as a tool, and generates and runs a program, as a user does.
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
		err = r.tryOut()
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
