//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "sockets: its client and its floor are written for Linux")
	os.Exit(1)
}
