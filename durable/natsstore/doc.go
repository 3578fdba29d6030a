// Package natsstore keeps durable instances in NATS JetStream: in a cluster of servers that
// replicate them, without a database, or in a server inside the program.
//
//	store, err := natsstore.Connect(ctx, "nats://a:4222,nats://b:4222,nats://c:4222")
//	store, err := natsstore.Embedded("data")
//
// # What is durable when
//
// An instance is one key of a bucket, and each write is one message that compares the key's
// revision. With three replicas it is answered when two servers have it. A setting of the servers
// determines whether they have then synced it to their disks. With sync_interval: always they
// have, and an answered write survives a simultaneous loss of power on all machines. With other
// settings, it survives all crashes of servers, and the loss of power on one machine of three,
// provided no other one fails or lags until the first has caught up. The server of [Embedded]
// syncs.
//
// Reads are answered by the leader of a stream. A leader that has just lost contact with the
// others may return an old value; a write based on it fails, since revisions are compared.
//
// While a stream has no leader, for some seconds after its leader has died, calls wait (see
// [Patience]).
//
// # Several workers
//
// Each store follows the headers of all buckets. So it knows at once which instances other
// processes have made due, and notifies its engine (it is a [stores.Notifier]). It keeps about
// 150 bytes for each instance that has a time or an owner, is stuck, or has ended and was not
// purged. Instances that wait only for a signal cost nothing. Take claims each instance that it
// finds with a key in memory, so that workers do not compete for the same instance; the swap
// decides.
//
// # Limits
//
// A message of a server is limited to its max_payload, 1 MiB by default. A checkpoint that does
// not fit is refused with an error that matches [durable.ErrTooLarge], and its instance is stuck.
// Messages that wait are stored in pages, which the entry of their instance names: it holds some
// hundred thousand of them. Messages that a process sends to one instance at the same moment are
// written together.
//
// # Buckets
//
// [Connect] and [Embedded] make the buckets movenext-0 to movenext-7, movenext-workers and
// movenext-claims, or those of the options [Bucket] and [Shards]; the command nats kv shows them.
// A user who may not make streams can use existing ones. Buckets of a newer version are refused
// ([ErrVersion]): during an upgrade, older workers continue to run but cannot be restarted.
package natsstore
