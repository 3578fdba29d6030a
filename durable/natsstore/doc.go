// Package natsstore keeps durable instances in NATS JetStream: in a cluster of servers that
// replicate them, without a database, or in a server inside the program.
//
//	store, err := natsstore.Connect(ctx, "nats://a:4222,nats://b:4222,nats://c:4222")
//	store, err := natsstore.Embedded("data")
//
// # What is durable when
//
// An instance is one key of a bucket, and each write is one message that compares the key's
// revision. With three replicas it is answered when two servers have it. Whether they have synced
// it to their disks is a setting of the servers: with sync_interval: always they have, and an
// answered write survives that all machines lose power at once. Without, it survives all crashes
// of servers, and the loss of power on one machine of three if no other one fails or lags until
// the first has caught up. The server of [Embedded] syncs.
//
// Reads are answered by the leader of a stream. A leader that has just lost the others may answer
// with something old; a write that follows from it fails, since revisions are compared.
//
// While a stream has no leader, some seconds after the death of one, calls wait (see [Patience]).
//
// # Several workers
//
// Each store follows the headers of all buckets, so it knows at once what other processes have
// made due, and tells its engine (it is a [durable.Notifier]). It keeps about 150 bytes for each
// instance that has a time, has an owner, is stuck, or has ended and was not purged. Those that
// wait for a signal alone cost nothing. Take claims what it has found by a key in memory, so that
// workers do not run for the same instance; the swap decides.
//
// # Limits
//
// A message of a server is at most its max_payload, 1 MiB unless it says otherwise. A checkpoint
// that does not fit is refused with an error that matches [durable.ErrTooLarge], and its instance
// is stuck. The mailbox of an instance is part of its entry: some thousands of messages that were
// not received fit, and each costs the next writes time.
//
// # Buckets
//
// [Connect] and [Embedded] make the buckets movenext-0 to movenext-7, movenext-workers and
// movenext-claims, or those of the options [Bucket] and [Shards]; the command nats kv shows them.
// A user who may not make streams can use those that are there. Buckets of a newer version are
// refused ([ErrVersion]), so during an upgrade older workers go on and are not started anew.
package natsstore
