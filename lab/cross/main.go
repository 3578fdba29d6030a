// Command cross looks for mistakes that show only on other systems: it type-checks the packages
// of the repository's root module, with their tests, as the compiler would for each system,
// and runs the analyzers of go vet over them.
//
//	go -C lab run ./cross windows/amd64 linux/386
//	go -C lab run ./cross -in ./netio freebsd/amd64   only this package
//
// It exits with status 1 if it finds a mistake, and with 2 if it cannot check.
//
// Nothing is compiled. go vet for another system first compiles the standard library and every
// dependency for it, which takes ten times as long. Mistakes that types do not show are left to
// the compiler on the system where the tests run: in Go without assembly, its back end finds only
// functions without a body. Package internal/policy forbids assembly.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	root := flag.String("root", "..", "the folder of the module")
	in := flag.String("in", "./...", "the packages to look at")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: go -C lab run ./cross [-in PACKAGES] GOOS/GOARCH...")
		os.Exit(2)
	}
	debug.SetGCPercent(400) // a run is short, and most allocations live to its end
	status := 0
	for _, target := range flag.Args() {
		list, err := findings(*root, target, *in)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, finding := range list {
			fmt.Fprintln(os.Stdout, finding)
			status = 1
		}
	}
	os.Exit(status)
}
