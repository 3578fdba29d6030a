//go:build !netio_portable

package netio

// This system has one setting for all sockets.
var probing [0]option
