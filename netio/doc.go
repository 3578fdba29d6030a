// Package netio provides sockets for machines: a connection that waits holds no
// goroutine and, with Readable, no buffer.
//
//	Listen, Listener     Accept, All as a stream, NetListener
//	Dial                 TCP, UDP and Unix sockets
//	Conn                 Read, ReadFull, Write, Readable, CloseWrite; a net.Conn
//	Server, Client       TLS, by crypto/tls, unmodified
//	Buffered             ReadLine, Peek; BufferedWriter, Copy
//	Adopt, NetConn       from a connection of package net, and back
//
// # Straight-line code
//
// A function marked //movenext:async that reads and writes is a loop, as with
// package net. Its plain form blocks its goroutine; its machine holds nothing
// while it waits:
//
//	//movenext:async
//	func echo(ctx context.Context, c *netio.Conn) error {
//		defer c.Close()
//		for {
//			if err := c.Readable(ctx); err != nil { // idle: no goroutine, no buffer
//				return err
//			}
//			p := buffers.Get().(*[4096]byte)
//			n, err := c.Read(p[:])
//			if err == nil {
//				_, err = c.Write(p[:n])
//			}
//			buffers.Put(p)
//			if err != nil {
//				return err
//			}
//		}
//	}
//
// Libraries such as gnet, nbio and netpoll need callbacks for this. Go itself has had a request
// for waiting without a buffer since 2016 (golang/go#15735).
//
// # Three forms
//
// Each operation that may wait has three forms, as in package coord: a method that blocks, a job
// (…Async), and an entry for generated code (…Enter). In a machine, a call of the first form
// becomes the third: its wait allocates nothing once the machine has waited before. The methods
// of net.Conn take no context, so the first form cannot tell a scheduler that its worker blocks:
// in a job that is not a machine, read on a goroutine or with job.Blocking. The forms with a
// context do tell the scheduler. A call blocks only if its documentation says so.
//
// # Guarantees of all operations
//
// Order: the reads of one connection are served in the order of the calls, and so are its writes.
// Two writes never interleave. A machine that never has to wait yields now and then, so a peer
// that floods it cannot monopolize its worker.
//
// Deadlines and errors are those of package net: a timeout is a net.Error without
// unwrapping, and an operation that Close ends returns an error that matches
// net.ErrClosed.
//
// The system call of a machine's read is made at the machine's home, into its buffer; the
// goroutine that detects readiness only submits the machine there.
//
// A Conn or Listener must be closed: the garbage collector does not close it.
//
// # Systems
//
// On Linux there is one epoll instance, and on macOS and the BSDs one kqueue. One goroutine waits
// for it as long as a socket is open; with a kqueue it holds an OS thread. See poller.go. On
// other systems each wait holds a goroutine, which blocks in package net: order, deadlines and
// errors are the same, but memory use is higher.
//
// The kqueue form has not yet run on its own kernels: all tests of this package pass over an
// emulation of it on Linux, and for the systems themselves the package is only compiled. The
// build tag netio_portable selects the form of the other systems everywhere: use it if a
// connection hangs that should not. The tag netio_kqueue, on Linux, is for the tests: it puts an
// emulation under kqueue.go.
//
// A poller cannot start in a bubble of testing/synctest, whose clock does
// not advance with the network: where no socket is open yet, Listen, Dial and Adopt
// return an error there. Tests in a bubble use net.Pipe.
//
// # When to use package net
//
// With a few hundred connections, or with connections that are always busy, goroutines are the
// better choice: there is little memory to save. The same holds for an http.Server; adopt only
// its long-lived connections.
package netio
