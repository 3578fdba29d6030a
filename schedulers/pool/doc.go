// Package pool is the default scheduler: a pool of goroutines that is modelled on the
// standard task scheduler of .NET and holds no goroutine while it is idle.
package pool
