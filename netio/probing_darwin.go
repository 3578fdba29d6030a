//go:build !netio_portable

package netio

import "syscall"

// Package syscall lacks the last two of this system's names.
var probing = [...]option{
	{syscall.TCP_KEEPALIVE, probeAfter},
	{0x101, probeAfter}, // TCP_KEEPINTVL
	{0x102, probes},     // TCP_KEEPCNT
}
