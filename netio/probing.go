//go:build (linux || dragonfly || freebsd || netbsd) && !netio_portable

package netio

import "syscall"

var probing = [...]option{
	{syscall.TCP_KEEPIDLE, probeAfter},
	{syscall.TCP_KEEPINTVL, probeAfter},
	{syscall.TCP_KEEPCNT, probes},
}
