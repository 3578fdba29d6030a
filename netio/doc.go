// Package netio is sockets whose waiting machines hold no goroutine and no buffer.
package netio
