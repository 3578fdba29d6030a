// Package timers implements the timers of a scheduler: any number of them share one timer of
// the Go runtime.
//
// # Why not one runtime timer each
//
// A time.AfterFunc takes about 170 bytes, and when it fires it starts a goroutine. A million
// that fire together start a million goroutines. A [schedulers.Timer] is embedded in the
// sleeper and needs only 8 further bytes in a queue, or 16 in a heap; one goroutine expires
// them all. A sleeper that is never stopped needs 17 bytes in a queue, and no timer.
//
// # Why not one queue for the process
//
// Timers belong to an instance. A queue made inside a testing/synctest bubble
// runs on that bubble's clock; one shared by the process could not be used from any
// bubble. A queue belongs to the bubble in which its first timer is armed.
//
// # Nothing while idle
//
// The runtime's timer is made when the first timer is armed, and stopped when the queue
// becomes empty. A queue without timers has no goroutine, no armed timer of the runtime, and
// little memory.
package timers
