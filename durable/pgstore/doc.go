// Package pgstore keeps durable instances in a Postgres database, for any number of workers on
// any number of hosts. The driver is github.com/jackc/pgx.
//
//	store, err := pgstore.Open(ctx, "postgres://orders@db/orders")
//	engine, err := durable.Open(ctx, store)
//
// # What is durable when
//
// Each write is one statement and one commit. The server has synced it to its disk when the call
// returns, unless the database is configured otherwise (synchronous_commit). Swaps of this
// process that arrive while others are in progress share a statement and its commit: an idle
// store writes each swap at once, and a busy one hundreds together. Other writes share a sync
// with those of other connections. The pool has [Connections] connections unless the address sets
// pool_max_conns. Take does not sync what it hides: after a crash of the server an instance may
// be taken twice, but it is claimed once.
//
// # Several workers
//
// Workers take different instances, since Take skips rows that another Take has locked. A claim
// compares versions in the statement that writes. Workers of one process are notified of its
// changes at once (the store is a [durable.Notifier]), and find those of other processes when
// their engines poll. Differences between the clocks of hosts cost time, but never correctness;
// see package durable.
//
// # Steps that write to the database
//
// A step calls [durable.Tx] with a function of a pgx.Tx. Its statements are committed together
// with its result, in one transaction, which ends when the next checkpoint is written. They find
// the program's tables through the search_path that the address or the role sets. These
// transactions use connections of their own: see [Transactions]. Their isolation level is the
// default of the role or the address: it cannot be set per call, since each call is a savepoint.
//
// # Tables
//
// [Open] makes its tables in the schema "movenext", or in that of the option [Schema], and
// migrates older ones. It needs the right to create a schema only the first time. It refuses
// tables of a newer version ([ErrVersion]): during an upgrade, older workers continue to run but
// cannot be restarted.
package pgstore
