//go:build !linux

package pgtest

import "syscall"

func asUser() *syscall.SysProcAttr { return nil }

func giveAway(string) error { return nil }
