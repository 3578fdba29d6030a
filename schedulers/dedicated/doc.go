// Package dedicated is a scheduler with OS threads of its own: for a C library that wants
// to be called from one thread, for work that must not share a thread with
// anything, for work that has to start at once however busy the rest of the program is.
//
// Each of its n workers is a goroutine that is locked to its thread for life
// (runtime.LockOSThread): no other goroutine ever runs on that thread, and the worker on no other. They
// share one queue, first in, first out. A worker starts when it is first needed and then
// stays, parked while there is nothing to do, until Shutdown; so a program that does not
// shut the scheduler down keeps its threads.
//
// # Waiting inside
//
// A wait for a job that is still queued here runs it in place. A wait for anything else
// blocks the thread: that is what a thread of one's own is. Work that waits, on the last
// free thread, for something that in turn needs this scheduler can therefore
// hang. The scheduler does not guess: it can not know what a blocked thread waits for, and an
// error for a wait that would have ended were worse than a wait that a context can end.
//
// # What it costs
//
// Waking a parked worker that is locked to a thread means a hand-over between two OS
// threads, there and back some 30 µs, a hundred times what the other schedulers pay.
// Work that needs no thread of its own belongs on one of those.
//
// # Goexit
//
// Work that calls runtime.Goexit ends its goroutine and, because that was locked, its
// thread. A new thread takes the place and the ID.
package dedicated
