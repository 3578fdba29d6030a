// Package netio is sockets for machines: a connection that waits holds no goroutine and, with Readable, no
// buffer.
//
//	Listen, Listener     Accept, All as a stream, NetListener
//	Dial                 TCP, UDP and Unix sockets
//	Conn                 Read, ReadFull, Write, Readable, CloseWrite; a net.Conn
//	Server, Client       TLS, by crypto/tls as it is
//	Adopt, NetConn       from a connection of package net, and back
//
// # Straight-line code
//
// A function marked //movenext:async that reads and writes is a loop, as with package net. Plain, it
// blocks its goroutine; as a machine, it holds nothing while it waits:
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
// Callbacks are what this takes elsewhere: gnet, nbio, netpoll. Go's own tracker has had the wish for
// a wait without a buffer since 2016 (golang/go#15735).
//
// # Three forms
//
// What may wait comes as a method that blocks, as a job (…Async), and as an entry for generated code (…Enter), as in package
// coord. In a machine a call of the first is the third: its wait allocates nothing once the machine has waited before.
// The first form is given no context by net.Conn, so it can not tell a scheduler that its worker blocks: in a
// job that is no machine, read on a goroutine or with job.Blocking. The forms with a context do tell.
//
// # What holds for all of it
//
// Order: reads of one connection are served in the order in which they came, writes too, and no write is in
// the middle of another one. A machine that never has to wait gives way now and then, so a peer
// that floods it does not have its worker for itself.
//
// Deadlines are those of package net. Errors too: a timeout is a net.Error as it stands, and
// what ends by Close matches net.ErrClosed.
//
// The system call of a machine's read is made at the machine's home, into its buffer; the goroutine that
// learns of readiness only hands over.
//
// A Conn or Listener must be closed. Nothing is closed by the garbage collector.
//
// # Systems
//
// On Linux there is one epoll instance, and one goroutine as long as there is a socket; see poller_linux.go. Everywhere
// else the same methods wait on a goroutine each, which blocks in package net: the
// order, the deadlines and the errors are the same, the memory is not. The tag netio_portable builds that form on Linux.
//
// A poller can not begin in a bubble of testing/synctest, whose clock would stand still while the network
// does not: such a Listen, Dial or Adopt is refused. Tests in a bubble use net.Pipe.
//
// # When to use package net
//
// A few hundred connections, or connections that are busy all the time, cost less in code than they save in memory: goroutines do
// well there. So do servers that are http.Server, up to a connection that is to live long: that one is adopted.
package netio
