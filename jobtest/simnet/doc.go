// Package simnet is a network for tests: connections whose latency, losses, and short reads
// and writes are choices of the schedule. A client and its server run in one process, under
// virtual time, and package jobtest searches for the order in which they fail:
//
//	jobtest.Explore(t, func(ctx context.Context) error {
//		n := simnet.New(ctx, simnet.Latency(0, time.Second), simnet.Short())
//		l, err := n.Listen("server:1")
//		…
//		c, err := n.Dial(ctx, "server:1")
//		…
//	}, jobtest.Faults(simnet.Reset))
//
// A [Conn] is a netio.AsyncConn: a function that takes one works on both.
//
// # What is simulated
//
// A connection is a pair of streams. Data arrives after the latency, complete and in order, as
// TCP promises. A stream holds a limited number of bytes that are in transit or unread: a writer
// that is faster than the reader waits. Package jobtest chooses three faults, if its option
// Faults names them: [Reset], [Loss] and [Refused].
//
// Outside a simulation the same network uses real time, has no faults, and makes its choices at
// random.
//
// # What is not simulated
//
// There are no datagrams, no names to resolve, and no limits for the whole network. In a
// simulation a deadline is read as by job.WithDeadline: SetDeadline(time.Now().Add(d)) means d of
// virtual time, to a millisecond.
package simnet

// Faults of a network, for jobtest.Faults. Each may happen at any write or dial.
const (
	// Reset breaks a connection in both directions: data in transit is lost.
	Reset = "simnet: reset"

	// Loss delays written data by a retransmission, 200 ms. All data written after it also
	// arrives later.
	Loss = "simnet: loss"

	// Refused is a dial that no listener answers.
	Refused = "simnet: refused"
)
