// A generator for a language of five statements: step 7 of "Build your own". It writes two forms
// of each function: plain Go that waits on its goroutine, and a machine. In the folder shop:
//
//	go run ../toy shop.toy > shop_toy.go
//
// The package is named like the file.
package main

import (
	"fmt"
	"os"
)

func main() {
	for _, name := range os.Args[1:] {
		source, err := os.ReadFile(name)
		if err == nil {
			source, err = translate(name, source)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(string(source))
	}
}
