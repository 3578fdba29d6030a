//go:build !linux

package main

import "fmt"

func main() { fmt.Println("this program asks epoll, which only Linux has") }
