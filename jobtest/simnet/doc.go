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
// A [Conn] is a net.Conn and has twins, as the connections of package netio have:
// netio.Copy, netio.Buffered and functions that take a netio.AsyncReader work on both.
//
// # What is simulated
//
// A connection is a pair of streams. What is written arrives after the latency, whole and
// in order, as TCP promises. A stream holds a bounded number of bytes that are on their way
// or have not been read: a writer that is faster than the reader waits. Three faults are
// chosen by package jobtest, if its option Faults names them: [Reset], [Loss] and [Refused].
//
// Outside of a simulation the same network has real time and no faults, and its choices
// are random.
//
// # What is not
//
// There are no datagrams, no names to resolve, and no limits of the whole network. Deadlines
// are durations from now: in a simulation the clock of package time stands still for a
// step, so SetDeadline(time.Now().Add(d)) means d of virtual time.
package simnet

// Faults of a network, for jobtest.Faults. Each may happen at any write or dial.
const (
	// Reset breaks a connection in both directions: what is on its way is lost.
	Reset = "simnet: reset"

	// Loss delays what is written by a retransmission, 200 ms. All that is written after
	// it arrives later, too.
	Loss = "simnet: loss"

	// Refused is a dial that no listener answers.
	Refused = "simnet: refused"
)
