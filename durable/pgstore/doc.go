// Package pgstore keeps durable instances in a Postgres database, for any number of workers on
// any number of hosts. The driver is github.com/jackc/pgx.
//
//	store, err := pgstore.Open(ctx, "postgres://orders@db/orders")
//	engine, err := durable.Open(ctx, store)
//
// # What is durable when
//
// Each write is one statement and one commit, which the server has synced to its disk when the
// call returns, unless the database says otherwise (synchronous_commit). Swaps that come while
// others are on their way share a statement and its commit, with others of this process: an idle
// store writes each at once, and a busy one hundreds together. Other writes share a sync with
// those of other connections. The pool has [Connections] of them unless the address says
// pool_max_conns. What Take hides is not synced: an instance that a crash of the server shows
// again is taken twice, and claimed once.
//
// # Several workers
//
// Workers take different instances, since Take skips rows that another Take has locked. A claim
// compares versions in the statement that writes. Workers of one process are told of its changes
// at once (the store is a [durable.Notifier]), and find those of others when their engines poll.
// Clocks of hosts that differ cost time, and never a result; see package durable.
//
// # Steps that write to the database
//
// A step calls [durable.Tx] with a function of a pgx.Tx: its statements are committed together
// with its result, in one transaction, which ends when the next checkpoint is written. They find
// the tables of the program, by the search_path that the address or the role says. These
// transactions have connections of their own: see [Transactions]. Their isolation is the default
// of the role or of the address, since each call is a savepoint.
//
// # Tables
//
// [Open] makes its tables in the schema "movenext", or in the one of the option [Schema], and
// brings older ones up to date. It needs the right to create a schema only the first time. It
// refuses tables of a newer version ([ErrVersion]), so during an upgrade older workers go on and
// are not started anew.
package pgstore
